// warp-aggregate, solved: ballot, population count, one leader per warp.
// zh: warp-aggregate 的参考答案：投票（ballot）、数 1 的个数，每个 warp 由一个 lane 出面。
const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool hit = i < n && in[i] < limit;
    // All 32 lanes vote, also those beyond n: bit l of `hits` is lane l's answer.
    // zh: 全部 32 个 lane 都投票，n 之外的也投：hits 的第 l 位是 lane l 的答案。
    unsigned hits = __ballot_sync(0xffffffff, hit);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits)); // the leader adds for all of them
    // zh: 由领头的 lane 替大家一次加上
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
