// kind: cheat
// expect: fail correct
// Cheats: the report is worked out from a latency that somebody published, and is measured by nobody.
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    for (int r = 0; r < 6; r++)
        walk<<<(walkers + 127) / 128, 128>>>(next, out, n, walkers, hops);
    cudaDeviceSynchronize();
    double us = hops * 0.5;
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
