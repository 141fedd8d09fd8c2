// lab: warp-aggregate
// expect: fail counter
// Each thread counts alone, shuffles with itself and does its own atomic.
__global__ void tally(const int *in, int limit, int *found, int n) {
    int mine = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += in[i] < limit;
    mine = __shfl_sync(0xffffffff, mine, threadIdx.x & 31);
    if (mine) atomicAdd(found, mine);
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<132, 256>>>(in, limit, found, n);
}
