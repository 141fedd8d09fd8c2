// kind: slow
// expect: fail counter full_launches
// expect: met correct
// A warm-up and a single run: right here, and at the mercy of chance on any real machine.
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

const int RUNS = 1;

void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    int blocks = (walkers + 127) / 128;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);

    walk<<<blocks, 128>>>(next, out, n, walkers, hops); // warms up, and is not counted
    cudaEventRecord(begin);
    for (int r = 0; r < RUNS; r++) walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(end);
    cudaEventSynchronize(end);

    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    double us = 1e3 * ms / RUNS;
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
