// warp-aggregate: *found is how many of in[0] ... in[n - 1] are below limit.
//
// For each hit, a lane adds 1 to the same word with an atomic. One instruction
// of a warp does up to 32 of these atomics.
// zh: *found 是 in[0] 到 in[n - 1] 中小于 limit 的元素个数。
// zh:
// zh: 每个命中都用一次原子操作给同一个字加 1，warp 的一条指令最多做 32 次。

const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    // TODO: let the warp vote (__ballot_sync), count the hits (__popc), and
    // let one lane add the number. Every lane must take part in the vote.
    // zh: TODO：让整个 warp 投票（__ballot_sync），数出命中数（__popc），
    // zh: 再由一个 lane 加上这个数。每个 lane 都必须参加投票。
    if (i < n && in[i] < limit) atomicAdd(found, 1);
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
