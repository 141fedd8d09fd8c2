// reduce-5-unroll: out[b] is the sum of the 512 ints in[512*b] ...
// in[512*b + 511]; beyond n there is nothing to add.
//
// The block size comes at run time, so the loops have to be run as loops: most
// instructions are spent on the loop, not on the sum.
// zh: out[b] 是 in[512*b] 到 in[512*b + 511] 这 512 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 块的大小在运行时才知道，循环只能照循环来跑：大部分指令花在循环本身上，
// zh: 而不是求和上。

// A block has at most so many threads.
// zh: 一个块最多有这么多线程。
const unsigned MOST = 1024;

// The 32 lanes of one warp add sum[0] ... sum[63]. Each step keeps its result
// in a register, and a __syncwarp() stands between the reads and the writes,
// and between the writes and the next reads.
// zh: 一个 warp 的 32 个 lane 把 sum[0] 到 sum[63] 加起来。
// zh: 每一步的结果留在寄存器里；读与写之间、写与下一步的读之间，
// zh: 都有一个 __syncwarp()。
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

// TODO: make the block size a template parameter (template <unsigned BLOCK>),
// write the rounds out one by one under `if (BLOCK >= 256)` and the like, and
// let the compiler drop what does not apply.
// Unroll the warp's steps, too.
// zh: TODO：把块的大小变成模板参数（template <unsigned BLOCK>），
// zh: 用 `if (BLOCK >= 256)` 之类的条件把各轮逐一写出来，让编译器删掉用不上的。
// zh: warp 内的各步也要展开。
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
