// kind: slow
// expect: fail counter idle_lanes
// expect: met correct
// Half the technique: the division behind % is gone, but the working lanes
// are still spread over all warps.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if ((tid & (2 * s - 1)) == 0) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
