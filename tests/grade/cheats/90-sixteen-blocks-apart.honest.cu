// lab: reduce-7-shuffle
// options: --seed 7
// expect: pass
// No block needs another: a second kernel adds up what all have left.
const unsigned BLOCK = 256, MOST_BLOCKS = 1056;

__device__ int left[MOST_BLOCKS];

__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

__global__ void add_up(const int *in, int n) {
    __shared__ int sum[BLOCK / 32];
    unsigned tid = threadIdx.x, b = blockIdx.x;
    int mine = 0;
    for (unsigned i = b * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid >= 32) return;
    mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0);
    if (tid) return;
    left[b] = mine;
}

__global__ void add_last(int *total, unsigned blocks) {
    unsigned t = threadIdx.x;
    int mine = 0;
    for (unsigned b = t; b < blocks; b += 32) mine += left[b];
    mine = warp_sum(mine);
    if (t == 0) *total = mine;
}

void reduce(const int *in, int *total, int n) {
    unsigned needed = (n + BLOCK - 1) / BLOCK, blocks = needed < MOST_BLOCKS ? needed : MOST_BLOCKS;
    add_up<<<blocks, BLOCK>>>(in, n);
    add_last<<<1, 32>>>(total, blocks);
}
