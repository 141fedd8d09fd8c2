// kind: unsafe
// expect: fail
// expect: finding barrier
// One barrier is reached only by the working threads, and another by all: idle
// threads wait at the second barrier while working threads wait at the first.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < BLOCK) {
            sum[left] += sum[left + s];
            __syncthreads();
        }
    }
    __syncthreads();
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
