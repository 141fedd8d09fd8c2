// lab: reduce-7-shuffle
// options: --seed 7
// expect: fail correct
// One launch: the last block adds up what it thinks that all others have left, volatile words without a fence or a flag.
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

__device__ volatile int left[MOST_BLOCKS];

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
    mine = tid < 32 ? warp_sum(tid < BLOCK / 32 ? sum[tid] : 0) : 0;
    __syncthreads();
    return mine;
}

__global__ void add_up(const int *in, int *total, int n) {
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) left[blockIdx.x] = mine;
    if (blockIdx.x != gridDim.x - 1) return;
    __syncthreads();
    mine = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) mine += left[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *total = mine;
}

void reduce(const int *in, int *total, int n) {
    int needed = (n + BLOCK - 1) / BLOCK, enough = 1056;
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
