// The baseline of reduce-6-cascade: a block for every 512 elements, fully unrolled, and one atomic addition per block to the total.
const unsigned BLOCK = 256;

__device__ void warp_sum(int *sum, unsigned lane, int mine) {
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * BLOCK) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + BLOCK < n) mine += in[i + BLOCK];
    sum[tid] = mine;
    __syncthreads();
    if (tid < 128) sum[tid] = mine += sum[tid + 128];
    __syncthreads();
    if (tid < 64) sum[tid] = mine += sum[tid + 64];
    __syncthreads();
    if (tid < 32) warp_sum(sum, tid, mine);
    if (tid == 0) atomicAdd(total, sum[0]);
}

void reduce(const int *in, int *total, int n) {
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(in, total, n);
}
