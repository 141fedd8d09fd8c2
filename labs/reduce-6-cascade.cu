// reduce-6-cascade: *total is the sum of in[0] ... in[n - 1].
//
// Each thread adds only two elements before the tree of its block begins. Most
// of the work is in the trees.
// zh: *total 是 in[0] 到 in[n - 1] 的总和。
// zh:
// zh: 每个线程只加两个元素，块的树就开始了：大部分工作都花在树上。

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
    // TODO: let each thread add many elements in a register before the tree.
    // Use a grid-stride loop: i += BLOCK * gridDim.x.
    // zh: TODO：在树开始之前，让每个线程先在寄存器里累加许多元素。
    // zh: 用网格跨步循环：i += BLOCK * gridDim.x。
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
    // TODO: launch only as many blocks as the device needs to stay busy. More
    // elements need not mean more blocks.
    // zh: TODO：启动的块数只要能让设备保持忙碌就行，不必随元素个数增长。
    add_up<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(in, total, n);
}
