// lab: vector-add
// options: --time-limit 2
// expect: fail correct
// A memset of five hundred million rows of a byte.
#include <cuda_runtime.h>
void vector_add(const float *, const float *, float *, int) {
    char *d;
    if (cudaMalloc(&d, 1 << 30)) return;
    for (int i = 0; i < 100; i++) cudaMemset2D(d, 2, 0, 1, 1 << 29);
    cudaFree(d);
}
