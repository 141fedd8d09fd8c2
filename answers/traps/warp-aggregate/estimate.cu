// kind: cheat
// expect: fail correct
// Cheats: looks at every fourth element and multiplies.
const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool hit = i < n && i % 4 == 0 && in[i] < limit;
    // All 32 lanes vote, also those whose i is n or more. Bit l of `hits` is the vote of lane l.
    unsigned hits = __ballot_sync(0xffffffff, hit);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, 4 * __popc(hits)); // the leader adds for the whole warp
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
