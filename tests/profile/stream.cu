// y = a x + y over 16 million floats: as much arithmetic as a byte in twelve. Nothing is wrong with it; device memory is the limit.
// expect: limiter dram, advice dram
#include <cstdio>
__global__ void saxpy(int n, float a, const float4 *x, float4 *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 p = x[i], q = y[i];
        y[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
    }
}
int main() {
    int n = 1 << 22;
    float4 *x, *y;
    cudaMalloc(&x, n * sizeof *x), cudaMalloc(&y, n * sizeof *y);
    cudaMemset(x, 0, n * sizeof *x), cudaMemset(y, 0, n * sizeof *y);
    saxpy<<<132 * 8, 256>>>(n, 2, x, y);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(x), cudaFree(y);
    return bad;
}
