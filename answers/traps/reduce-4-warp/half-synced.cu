// kind: unsafe
// expect: fail
// expect: finding race
// A __syncwarp() only after every second step: a lane may read a word that another lane has not written yet.
const unsigned BLOCK = 256; // threads

__device__ void warp_sum(volatile int *sum, unsigned lane) {
    for (unsigned s = 32; s > 0; s /= 4) {
        sum[lane] += sum[lane + s];
        sum[lane] += sum[lane + s / 2];
        __syncwarp();
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
