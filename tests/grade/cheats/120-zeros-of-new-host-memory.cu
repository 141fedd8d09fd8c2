// lab: warp-aggregate
// expect: fail correct
// The sum begins with new page-locked memory, in the hope of a zero.
const int BLOCK = 256;
__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x; bool hit = i < n && in[i] < limit;
    unsigned hits = __ballot_sync(~0u, hit);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    int *h; cudaMallocHost(&h, 4096); cudaMemcpyAsync(found, h, sizeof(int), cudaMemcpyHostToDevice);
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
    cudaDeviceSynchronize(); cudaFreeHost(h);
}
