// lab: reduce-7-shuffle
// options: --seed 7
// expect: pass
// One launch: a __threadfence() between the sum and its flag, and one behind the loop that waits for the flag.
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

__device__ volatile int left[MOST_BLOCKS], ready[MOST_BLOCKS];

__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

__device__ int block_sum(int mine) {
    __shared__ int sum[BLOCK / 32];
    unsigned tid = threadIdx.x;
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    return tid < 32 ? warp_sum(tid < BLOCK / 32 ? sum[tid] : 0) : 0;
}

__global__ void add_up(const int *in, int *total, int n) {
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        left[blockIdx.x] = mine;
        __threadfence();
        ready[blockIdx.x] = 1;
    }
    if (blockIdx.x != gridDim.x - 1) return;
    mine = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) {
        while (!ready[i]) {}
        __threadfence();
        mine += left[i];
        ready[i] = 0;
    }
    __syncthreads();
    mine = block_sum(mine);
    if (threadIdx.x == 0) *total = mine;
}

void reduce(const int *in, int *total, int n) {
    int needed = (n + BLOCK - 1) / BLOCK, enough = 1056;
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
