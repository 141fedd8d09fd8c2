// lab: warp-aggregate
// expect: fail counter
// Each lane takes its own bit out of the vote and does its own atomic.
__global__ void tally(const int *in, int limit, int *found, int n) {
    int mine = 0, lane = threadIdx.x & 31, step = gridDim.x * 256;
    for (int base = blockIdx.x * 256 + threadIdx.x - lane; base < n; base += step) {
        int i = base + lane;
        unsigned hits = __ballot_sync(0xffffffff, i < n && in[i] < limit);
        mine += hits >> lane & 1;
    }
    if (mine) atomicAdd(found, mine);
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<132, 256>>>(in, limit, found, n);
}
