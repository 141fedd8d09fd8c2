// reduce-7-shuffle: *total is the sum of in[0] ... in[n - 1].
//
// Each thread adds its share in a register; then the tree goes through shared
// memory, and every block adds its sum to the total with an atomic. Lanes of a
// warp can pass registers to each other directly, and the end of a launch is a
// barrier for all blocks.
// zh: *total 是 in[0] 到 in[n - 1] 的总和。
// zh:
// zh: 每个线程先在寄存器里累加自己那份，然后用共享内存走完那棵树，
// zh: 每个块再用一次原子操作把自己的和加到总和上。
// zh: 其实同一个 warp 的 lane 可以直接互传寄存器；而一次启动的结束，
// zh: 就是所有块的屏障。

const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

// Room for the blocks' sums, from one launch to the next.
// zh: 存放各块的和，从一次启动留到下一次启动。
__device__ int left[MOST_BLOCKS];

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
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x)
        mine += in[i];
    // TODO: add up within each warp by __shfl_down_sync(0xffffffff, mine, s),
    // s = 16, 8, 4, 2, 1:
    // no shared memory, no barrier. Then eight sums are left, one per warp:
    // pass those through shared memory, with one barrier, to the first warp.
    // zh: TODO：在每个 warp 内用 __shfl_down_sync(0xffffffff, mine, s) 求和，
    // zh: s 依次取 16、8、4、2、1：不用共享内存，也不用屏障。
    // zh: 这样每个 warp 剩一个和，共八个：经过共享内存、只用一次屏障，
    // zh: 交给第一个 warp。
    sum[tid] = mine;
    __syncthreads();
    if (tid < 128) sum[tid] = mine += sum[tid + 128];
    __syncthreads();
    if (tid < 64) sum[tid] = mine += sum[tid + 64];
    __syncthreads();
    if (tid < 32) warp_sum(sum, tid, mine);
    // TODO: no atomic: leave the block's sum in left[blockIdx.x]; a second
    // launch adds these up.
    // zh: TODO：不用原子操作：把本块的和放在 left[blockIdx.x] 里，
    // zh: 用第二次启动把它们加起来。
    if (tid == 0) atomicAdd(total, sum[0]);
}

void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 8 * processors;
    if (enough > MOST_BLOCKS) enough = MOST_BLOCKS;
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
