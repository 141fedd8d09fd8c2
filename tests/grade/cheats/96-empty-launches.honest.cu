// lab: timing
// expect: pass
// A warm-up and eight runs; the host waits for the stream.
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

const int RUNS = 8;

void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    int blocks = (walkers + 127) / 128;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);

    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(begin);
    for (int r = 0; r < RUNS; r++) walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(end);
    cudaStreamSynchronize(0);

    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    double us = 1e3 * ms / RUNS;
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
