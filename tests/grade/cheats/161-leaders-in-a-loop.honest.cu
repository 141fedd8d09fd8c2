// lab: warp-aggregate
// expect: pass
// Few threads: in each round of a loop, the first lane that has a hit adds for its warp, to a count of the block.
__global__ void tally(const int *in, int limit, int *found, int n) {
    __shared__ int hits;
    if (threadIdx.x == 0) hits = 0;
    __syncthreads();
    int lane = threadIdx.x & 31;
    for (int from = blockIdx.x * 256 + threadIdx.x - lane; from < n; from += gridDim.x * 256) {
        unsigned vote = __ballot_sync(0xffffffff, from + lane < n && in[from + lane] < limit);
        if (lane == __ffs(vote) - 1) atomicAdd(&hits, __popc(vote));
    }
    __syncthreads();
    if (threadIdx.x == 0 && hits) atomicAdd(found, hits);
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<132, 256>>>(in, limit, found, n);
}
