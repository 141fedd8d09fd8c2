// kind: wrong
// expect: fail correct
// Waits as it should, but times the first run alone: it has to fetch everything from DRAM.
#include <chrono>

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
    auto begin = std::chrono::steady_clock::now();
    for (int r = 0; r < RUNS; r++) walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaDeviceSynchronize();
    auto end = std::chrono::steady_clock::now();
    double us = std::chrono::duration<double, std::micro>(end - begin).count() / RUNS;
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
