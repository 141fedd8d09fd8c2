// Matrix product, a result a thread: two loads from L1 for each multiply-add.
// expect: limiter l1, advice lsu
#include <cstdio>
__global__ void product(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
int main() {
    int n = 512;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4), cudaMalloc(&c, n * n * 4);
    cudaMemset(a, 0, n * n * 4), cudaMemset(b, 0, n * n * 4);
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(a), cudaFree(b), cudaFree(c);
    return bad;
}
