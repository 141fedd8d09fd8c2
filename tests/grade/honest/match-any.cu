// warp-aggregate: the leader of each crowd is found by match and an elected lane
__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int hit = i < n && in[i] < limit;
    unsigned alike = __match_any_sync(0xffffffff, hit);
    if (hit && __ffs(alike) - 1 == (int)(threadIdx.x % 32)) atomicAdd(found, __popc(alike));
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + 255) / 256, 256>>>(in, limit, found, n);
}
