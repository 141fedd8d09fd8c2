// timing, solved: a warm-up, then five runs between two events, and a wait for the second event.
// zh: timing 的参考答案：先预热一次，再在两个事件之间运行五次，然后等待第二个事件。
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

const int RUNS = 5;

void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    int blocks = (walkers + 127) / 128;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);

    walk<<<blocks, 128>>>(next, out, n, walkers, hops); // the warm-up is not timed
    // zh: 预热，不计时
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
