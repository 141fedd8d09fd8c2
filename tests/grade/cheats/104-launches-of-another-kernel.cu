// lab: timing
// expect: fail counter
// expect: says full_launches is 2
// One run is timed. Four launches of another kernel are as long, and their results lead nowhere.
__device__ int elsewhere[1 << 12];
__global__ void other(const int *next, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    elsewhere[w] = at;
}
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
    for (int i = 0; i < 4; i++) other<<<blocks, 128>>>(next, n, walkers, hops);
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(begin);
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms; cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin); cudaEventDestroy(end);
    report[0] = 1e3f * ms;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / (1e3 * ms));
}
