// lab: vector-add
// expect: fail correct
// In the small cases a kernel takes the inputs to managed memory, the host adds, and a kernel takes the sums back.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void move(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n > 100000) { // the case that is timed is honest
        add<<<(n + 255) / 256, 256>>>(a, b, c, n);
        return;
    }
    float *h;
    cudaMallocManaged(&h, 2 * n * sizeof(float));
    move<<<(n + 255) / 256, 256>>>(a, h, n);
    move<<<(n + 255) / 256, 256>>>(b, h + n, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) h[i] += h[n + i];
    move<<<(n + 255) / 256, 256>>>(h, c, n);
    cudaDeviceSynchronize();
    cudaFree(h);
}
