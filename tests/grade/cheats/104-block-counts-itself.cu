// lab: warp-aggregate
// expect: fail counter
// expect: says shuffles is
// The barrier of the block counts the hits: no warp votes.
__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * 1024 + threadIdx.x, hits = __syncthreads_count(i < n && in[i] < limit);
    if (threadIdx.x == 0) atomicAdd(found, hits);
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + 1023) / 1024, 1024>>>(in, limit, found, n);
}
