// Two streams, each a copy, a kernel that follows it, and the copy back.
#include <cstdio>
template <typename T> __global__ void twice(T *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += a[i];
}
int main() {
    int n = 1 << 20;
    float *host, *a[2];
    cudaStream_t s[2];
    cudaMallocHost(&host, n * 4);
    for (int i = 0; i < n; i++) host[i] = 1;
    for (int k = 0; k < 2; k++) {
        cudaStreamCreate(&s[k]);
        cudaMalloc(&a[k], n * 4);
        cudaMemcpyAsync(a[k], host, n * 4, cudaMemcpyHostToDevice, s[k]);
        twice<<<n / 256, 256, 0, s[k]>>>(a[k], n);
        cudaMemcpyAsync(host, a[k], n * 4, cudaMemcpyDeviceToHost, s[k]);
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < 2; k++) cudaFree(a[k]), cudaStreamDestroy(s[k]);
    cudaFreeHost(host);
}
