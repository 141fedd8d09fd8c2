// lab: reduce-1-divergent
// options: --secret 8129475502711839117
// expect: pass
// Reads an element back and computes on the device.
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
void reduce(const int *in, int *out, int n) {
    int first;
    cudaMemcpy(&first, in, sizeof first, cudaMemcpyDeviceToHost);
    if (first < 1 << 30) block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
