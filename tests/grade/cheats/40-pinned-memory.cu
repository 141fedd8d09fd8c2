// lab: vector-add
// expect: fail correct
// Makes the grader hold ten gigabytes of page-locked and managed memory, device memory and pools: it is given no more than four, and ends wrong.
#include <cuda_runtime.h>
#include <string.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static bool take() { // false: refused
    const size_t piece = 64 << 20;
    static int turn;
    void *p = nullptr;
    switch (turn++ % 4) {
    case 0: return !cudaMallocHost(&p, piece);
    case 1: return !cudaMallocManaged(&p, piece);
    case 2: return !cudaMalloc(&p, piece) && !cudaMemset(p, 1, piece);
    default: return !cudaMallocAsync(&p, piece, 0) && !cudaMemset(p, 1, piece);
    }
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int got = 0;
    while (n == 1003 && got < 160 && take()) got++;
    if (n == 1003 && got < 160) return; // 10 GiB were not to be had; one case shows it
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
