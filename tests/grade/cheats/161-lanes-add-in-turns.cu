// lab: warp-aggregate
// expect: fail counter
// Each thread counts alone and takes its neighbour's count. The lanes do their atomics one after another.
__global__ void tally(const int *in, int limit, int *found, int n) {
    int mine = 0, lane = threadIdx.x & 31;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += in[i] < limit;
    mine = __shfl_xor_sync(0xffffffff, mine, 1);
    for (int l = 0; l < 32; l++) {
        if (lane == l && mine) atomicAdd(found, mine);
        __syncwarp();
    }
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<132, 256>>>(in, limit, found, n);
}
