// lab: vector-add
// expect: pass
// Has a signal handler and a constructor, and computes.
#include <csignal>
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void first() { setvbuf(stdout, nullptr, _IOLBF, 0); }
void vector_add(const float *a, const float *b, float *c, int n) {
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
