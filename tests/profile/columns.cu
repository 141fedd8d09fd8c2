// A matrix is turned: rows are read, columns are written, each of a warp's 32 floats into a sector of its own.
// expect: limiter l2, advice sectors
#include <cstdio>
__global__ void transpose(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
int main() {
    int n = 2048;
    float *a, *b;
    cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4);
    cudaMemset(a, 0, n * n * 4);
    transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(a), cudaFree(b);
    return bad;
}
