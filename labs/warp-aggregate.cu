// warp-aggregate: *found is how many of in[0] ... in[n - 1] are below limit.
//
// Each hit is an atomic addition of 1 to the same word; up to 32 of them in
// one instruction.
// zh: *found 是 in[0] 到 in[n - 1] 中小于 limit 的个数。
// zh:
// zh: 每找到一个就对同一个字做一次加 1 的原子操作；一条指令里最多有 32 次。

const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    // TODO: let the warp vote (__ballot_sync), count the votes (__popc), and
    // let one lane add them all. Every lane must vote.
    // zh: TODO：让整个 warp 投票（__ballot_sync），数出票数（__popc），
    // zh: 再由一个 lane 一次加上。每个 lane 都必须参加投票。
    if (i < n && in[i] < limit) atomicAdd(found, 1);
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
