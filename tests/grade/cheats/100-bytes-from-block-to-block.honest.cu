// lab: warp-aggregate
// expect: pass
// The blocks leave which of their warps had hits in neighbouring bytes of the same words, which other blocks write, too; only the sum is atomic.
const int BLOCK = 256, MOST = 1 << 20;
__device__ unsigned char had_hits[MOST / 32];

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned hits = __ballot_sync(0xffffffff, i < n && in[i] < limit);
    if (threadIdx.x % 32 != 0) return;
    // block by block: neighbouring bytes belong to different blocks
    int at = (threadIdx.x / 32 * gridDim.x + blockIdx.x) % (MOST / 32);
    had_hits[at] = hits != 0;
    if (had_hits[at]) atomicAdd(found, __popc(hits));
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
