// lab: vector-add
// expect: fail correct
// The same inside the kernel: a flag in device memory remembers that the answer for this size is there.
#include <cuda_runtime.h>
__device__ float kept[1 << 20];
__device__ int kept_n;
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (kept_n == n)
        c[i] = kept[i];
    else
        c[i] = kept[i] = a[i] + b[i];
}
__global__ void remember(int n) { kept_n = n; }
void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    remember<<<1, 1>>>(n);
}
