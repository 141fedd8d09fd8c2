// reduce-5-unroll: out[b] is the sum of the 512 ints in[512*b] ...
// in[512*b + 511]; beyond n there is nothing to add.
//
// The compiler does not know the block size, so it cannot unroll the loop over
// the rounds. Most instructions belong to the loop, not to the sum.
// zh: out[b] 是 in[512*b] 到 in[512*b + 511] 这 512 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 编译器不知道块的大小，所以不能展开各轮的循环：
// zh: 大部分指令花在循环本身上，而不是求和上。

// A block has at most this many threads.
// zh: 一个块最多有这么多线程。
const unsigned MOST = 1024;

// The 32 lanes of one warp add sum[0] ... sum[63]. Each step keeps its result
// in a register. One __syncwarp() separates the reads of a step from its
// writes, another one separates these writes from the reads of the next step.
// zh: 一个 warp 的 32 个 lane 把 sum[0] 到 sum[63] 加起来。
// zh: 每一步的结果留在寄存器里。一个 __syncwarp() 把这一步的读和写分开，
// zh: 另一个把这一步的写和下一步的读分开。
__device__ void warp_sum(int *sum, unsigned lane) {
    int mine = sum[lane];
#pragma unroll 1
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

// TODO: make the block size a template parameter (template <unsigned BLOCK>).
// Write out the rounds one by one, each under a condition such as
// `if (BLOCK >= 256)`. The compiler drops the rounds that a block size does
// not need. Unroll the steps of the warp, too.
// zh: TODO：把块的大小变成模板参数（template <unsigned BLOCK>）。
// zh: 把各轮逐一写出来，用 `if (BLOCK >= 256)` 之类的条件，
// zh: 编译器会删掉用不上的轮。warp 内的各步也要展开。
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
