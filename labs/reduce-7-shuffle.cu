// reduce-7-shuffle: *total is the sum of in[0] ... in[n - 1].
//
// Each thread adds its elements in a register. Then the tree of the block goes
// through shared memory, and the block adds its sum to the total with an
// atomic. But the lanes of a warp can pass values directly from register to
// register, and the end of a launch is a barrier for all blocks.
// zh: *total 是 in[0] 到 in[n - 1] 的总和。
// zh:
// zh: 每个线程先在寄存器里累加自己的元素，块的树再经过共享内存，
// zh: 最后，块用一次原子操作把本块的部分和加到总和上。
// zh: 其实同一个 warp 的 lane 可以直接从寄存器到寄存器传递值；
// zh: 而一次启动的结束，就是所有块的屏障。

const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

// The sums of the blocks, kept from one launch to the next.
// zh: 各块的部分和，从一次启动保留到下一次启动。
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
    // TODO: sum each warp with __shfl_down_sync(0xffffffff, mine, s), where s
    // is 16, 8, 4, 2, 1. This needs no shared memory and no barrier.
    // Then each of the eight warps has one sum left. Pass these sums through
    // shared memory to the first warp, with one barrier.
    // zh: TODO：在每个 warp 内用 __shfl_down_sync(0xffffffff, mine, s) 求和，
    // zh: s 依次取 16、8、4、2、1。这样不用共享内存，也不用屏障。
    // zh: 之后八个 warp 各剩一个部分和。把这些部分和经过共享内存
    // zh: 交给第一个 warp，只用一次屏障。
    sum[tid] = mine;
    __syncthreads();
    if (tid < 128) sum[tid] = mine += sum[tid + 128];
    __syncthreads();
    if (tid < 64) sum[tid] = mine += sum[tid + 64];
    __syncthreads();
    if (tid < 32) warp_sum(sum, tid, mine);
    // TODO: use no atomic. Store the sum of the block in left[blockIdx.x], and
    // let a second launch add these sums.
    // zh: TODO：不用原子操作。把本块的部分和存到 left[blockIdx.x]，
    // zh: 再用第二次启动把这些部分和加起来。
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
