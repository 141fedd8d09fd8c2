// lab: reduce-2-banks
// expect: fail counter
// The tree with its conflicts, in global memory, which has no banks.
const unsigned BLOCK = 256;
__device__ int scratch[(1 << 19) + 65536];
__global__ void block_sums(const int *in, int *out, int n) {
    int *sum = scratch + blockIdx.x * BLOCK;
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
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
