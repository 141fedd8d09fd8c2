// reduce-7-shuffle, solved: the tree of a warp runs through registers, shared memory carries eight words per block, and a second launch
// adds up what the blocks left.
// zh: reduce-7-shuffle 的参考答案：warp 内的树在寄存器里完成，共享内存里每块只经过八个字，第二次启动把各块留下的相加。
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

__device__ int left[MOST_BLOCKS]; // the blocks' sums, from one launch to the next
// zh: 各块的和，从一次启动传给下一次

// The sum over the lanes of a warp, in lane 0.
// zh: 一个 warp 各 lane 的和，在 lane 0。
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

// The block's share of the sum of in[0] ... in[n - 1], in thread 0.
// zh: in[0] 到 in[n - 1] 之和中本块的一份，在线程 0。
__device__ int block_sum(const int *in, int n) {
    __shared__ int sum[BLOCK / 32]; // one word per warp
    // zh: 每个 warp 一个字
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid < 32) mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0); // the whole first warp: every lane named in the mask must take part
    // zh: 整个第一个 warp 都要执行：掩码里的每个 lane 都必须参加
    return mine;
}

__global__ void add_up(const int *in, int n) {
    int mine = block_sum(in, n);
    if (threadIdx.x == 0) left[blockIdx.x] = mine;
}

// One block, launched when all others have ended: their sums are there.
// zh: 只有一个块，在其他块全部结束之后启动：它们的和都已就位。
__global__ void finish(int *total, int blocks) {
    int mine = block_sum(left, blocks);
    if (threadIdx.x == 0) *total = mine;
}

void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 8 * processors;
    if (enough > MOST_BLOCKS) enough = MOST_BLOCKS;
    int blocks = needed < enough ? needed : enough;
    add_up<<<blocks, BLOCK>>>(in, n);
    finish<<<1, BLOCK>>>(total, blocks);
}
