// reduce-7-shuffle, solved: the tree of a warp uses only registers, only eight words per block pass through shared memory, and a second
// launch adds the sums of the blocks.
// zh: reduce-7-shuffle 的参考答案：warp 内的树只用寄存器，每块只有八个字经过共享内存，第二次启动把各块的部分和加起来。
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

__device__ int left[MOST_BLOCKS]; // the sums of the blocks, kept from one launch to the next
// zh: 各块的部分和，从一次启动保留到下一次启动

// Returns the sum of all lanes of a warp, in lane 0.
// zh: 返回一个 warp 所有 lane 的和，结果在 lane 0。
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

// Returns, in thread 0, the sum of this block's share of the elements in[0] ... in[n - 1].
// zh: 返回本块负责的元素（in[0] 到 in[n - 1] 的一部分）之和，结果在线程 0。
__device__ int block_sum(const int *in, int n) {
    __shared__ int sum[BLOCK / 32]; // one word per warp
    // zh: 每个 warp 一个字
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid < 32) mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0); // all lanes of the first warp: the mask names them all, so all must take part
    // zh: 第一个 warp 的所有 lane 都要执行：掩码指明了所有 lane，所以都必须参加
    return mine;
}

__global__ void add_up(const int *in, int n) {
    int mine = block_sum(in, n);
    if (threadIdx.x == 0) left[blockIdx.x] = mine;
}

// Runs as a single block after all blocks of add_up() have ended, so their sums are complete.
// zh: 只用一个块，在 add_up() 的所有块结束之后运行，所以各块的部分和都已写好。
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
