// kind: wrong
// expect: fail correct
// No __syncwarp() and no volatile: the compiler, which sees one thread, loads every word before it stores any. No lane reads what another
// wrote, so the sums are wrong and there is no race to report.
const unsigned BLOCK = 256; // threads

__device__ void warp_sum(int *sum, unsigned lane) {
    int mine = sum[lane];
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        sum[lane] = mine;
    }
}

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid < 32) warp_sum(sum, tid);
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, BLOCK>>>(in, out, n);
}
