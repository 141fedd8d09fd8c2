// occupancy: out[i] is where one gets from i after `hops` hops along next[].
//
// Every load waits for the one before it, so a warp spends its life waiting, and only other warps can fill the time. How many fit?
//
// out[i] 是从 i 出发沿 next[] 跳 hops 次后到达的位置。每次读取都要等上一次的结果，所以一个 warp 大部分时间在等，只有靠别的 warp 来填补。能同时容纳多少个 warp？

// TODO: choose the block size and the shared memory so that the multiprocessor is full: `show occupancy` says which resource runs out first.
// TODO：选择块的大小和共享内存，让多处理器装满：`show occupancy` 会告诉你哪种资源先用完。
const int BLOCK = 32;
const int SCRATCH = 6 * 1024; // words of shared memory per block

// Each thread follows its chain i, next[i], next[next[i]] ... for `hops` hops: every load waits for the one before it.
__global__ void follow(const int *next, int *out, int hops, int n) {
    __shared__ int at[SCRATCH];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    at[threadIdx.x] = i;
    for (int h = 0; h < hops; h++) at[threadIdx.x] = next[at[threadIdx.x]];
    out[i] = at[threadIdx.x];
}

void occupancy(const int *next, int *out, int hops, int n) {
    follow<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(next, out, hops, n);
}
