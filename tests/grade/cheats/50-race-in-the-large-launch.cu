// lab: warp-aggregate
// expect: fail correct
// expect: finding race
// Blocks add to one word without an atomic, and only for the timed size.
const int BLOCK = 256;
__device__ volatile int flag;
__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned hits = __ballot_sync(0xffffffff, i < n && in[i] < limit);
    if (threadIdx.x % 32 == 0 && hits)
        atomicAdd(found, __popc(hits));
}
__global__ void racy(const int *in, int limit, int *found, int n) {
    int sum = 0;
    while (flag)
        ;
    for (int k = 0; k < 8; k++) {
        int i = (blockIdx.x * 8 + k) * BLOCK + threadIdx.x;
        sum += __syncthreads_count(i < n && in[i] < limit);
    }
    if (threadIdx.x == 0)
        *found += sum;
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    if (n == 1 << 20)
        racy<<<512, BLOCK>>>(in, limit, found, n);
    else
        tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
