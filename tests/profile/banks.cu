// A tile of 32 x 32 is read by columns: all lanes of a warp want the same bank.
// expect: limiter shared, advice banks
#include <cstdio>
__global__ void columns(const float *in, float *out, int rounds) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < rounds; k++) sum += tile[threadIdx.x][(threadIdx.y + k) & 31];
    out[blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x] = sum;
}
int main() {
    int blocks = 528;
    float *a, *b;
    cudaMalloc(&a, blocks * 4096), cudaMalloc(&b, blocks * 4096);
    cudaMemset(a, 0, blocks * 4096);
    columns<<<blocks, dim3(32, 32)>>>(a, b, 64);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(a), cudaFree(b);
    return bad;
}
