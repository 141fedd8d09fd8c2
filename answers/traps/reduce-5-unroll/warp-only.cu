// kind: slow
// expect: fail counter jumps
// expect: missed counter inst_int
// expect: met correct
// Half the technique: the warp's steps are unrolled, but the compiler still does not know the block size, and the rounds remain a loop.
const unsigned MOST = 1024; // threads a block may have

__device__ void warp_sum(int *sum, unsigned lane) {
    int mine = sum[lane];
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[MOST];
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
    int threads = 256, blocks = (n + 2 * threads - 1) / (2 * threads);
    block_sums<<<blocks, threads>>>(in, out, n);
}
