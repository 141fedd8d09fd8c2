// lab: warp-aggregate
// expect: fail correct
// The warps add to new managed memory, in the hope of a zero.
const int BLOCK = 256;
__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x; bool hit = i < n && in[i] < limit;
    unsigned hits = __ballot_sync(~0u, hit);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));
}
__global__ void store(int *to, const int *from) { *to = *from; }
void warp_aggregate(const int *in, int limit, int *found, int n) {
    int *m; cudaMallocManaged(&m, 4096);
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, m, n);
    store<<<1, 1>>>(found, m);
    cudaDeviceSynchronize(); cudaFree(m);
}
