// lab: reduce-2-banks
// expect: fail counter
// expect: says shared_load_passes is
// expect: says shared_store_passes is
// The lanes of a warp use shared memory one after another, so that no two meet in a bank.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned left = 2 * s * tid;
#pragma unroll 1
        for (unsigned l = 0; l < 32; l++)
            if (tid % 32 == l && left < blockDim.x) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
