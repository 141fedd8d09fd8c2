// lab: warp-aggregate
// expect: fail correct
// A hit is the sign of a difference of 8 bits: wrong for numbers far from the limit.
__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    signed char d = i < n ? (signed char)(in[i] - limit) : 0;
    unsigned hits = __ballot_sync(0xffffffff, d < 0);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + 255) / 256, 256>>>(in, limit, found, n);
}
