// kind: ragged
// expect: fail correct
// Wrong at ragged sizes: the last block, which is not full, is not launched.
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
void reduce(const int *in, int *out, int n) { block_sums<<<n / BLOCK, BLOCK>>>(in, out, n); }
