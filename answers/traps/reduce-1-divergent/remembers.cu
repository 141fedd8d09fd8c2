// kind: cheat
// expect: fail correct
// Cheats: computes once for each size and later copies the kept answer,
// whatever the inputs are.
#include <cuda_runtime.h>
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < blockDim.x) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
static void honest(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
static int *kept, kept_n;
void reduce(const int *in, int *out, int n) {
    size_t bytes = (n + BLOCK - 1) / BLOCK * sizeof(int);
    if (n != kept_n) {
        honest(in, out, n);
        cudaMalloc(&kept, bytes);
        kept_n = n;
        cudaMemcpy(kept, out, bytes, cudaMemcpyDeviceToDevice);
    } else {
        cudaMemcpy(out, kept, bytes, cudaMemcpyDeviceToDevice);
    }
}
