// warp-aggregate, solved: each warp votes and counts its hits, and one lane, the leader, adds the number.
// zh: warp-aggregate 的参考答案：每个 warp 投票并数出命中数，由一个领头 lane 加上这个数。
const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool hit = i < n && in[i] < limit;
    // All 32 lanes vote, also those whose i is n or more. Bit l of `hits` is the vote of lane l.
    // zh: 32 个 lane 都投票，包括 i 大于或等于 n 的 lane。hits 的第 l 位是 lane l 的票。
    unsigned hits = __ballot_sync(0xffffffff, hit);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits)); // the leader adds for the whole warp
    // zh: 由领头 lane 替整个 warp 加上
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
