// lab: timing
// expect: fail correct
// expect: says report[0] should be
// The first call measures what the lab asks for, and later calls report ten times as much. Two
// calls never measure the same, so the number is told, and no cause.
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}
void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    static int calls;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    walk<<<(walkers + 127) / 128, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(begin);
    for (int r = 0; r < 5; r++)
        walk<<<(walkers + 127) / 128, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    double us = 200 * ms * (calls++ ? 10 : 1);
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
