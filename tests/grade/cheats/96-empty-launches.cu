// lab: timing
// expect: fail counter
// expect: says full_launches is 2
// expect: says waits is 0
// Four launches without walkers, and a wait before anything was launched.
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}
void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    int blocks = (walkers + 127) / 128;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin); cudaEventCreate(&end);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4; i++) walk<<<1, 1>>>(next, out, n, 0, hops);
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(begin);
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(end);
    while (cudaEventQuery(end) == cudaErrorNotReady) {}
    float ms; cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin); cudaEventDestroy(end);
    report[0] = 1e3f * ms;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / (1e3 * ms));
}
