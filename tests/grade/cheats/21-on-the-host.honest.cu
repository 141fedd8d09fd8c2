// lab: reduce-1-divergent
// expect: pass
// Reads one element back and decides nothing by it; the device does the work. (In a lab without a time goal: the copy alone takes a GPU longer than
// the whole of a small kernel.)
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
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
