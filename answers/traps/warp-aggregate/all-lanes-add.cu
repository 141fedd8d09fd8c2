// kind: wrong
// expect: fail correct
// Every lane that hit adds the whole warp's count.
const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool hit = i < n && in[i] < limit;
    // All 32 lanes vote, also those whose i is n or more. Bit l of `hits` is the vote of lane l.
    unsigned hits = __ballot_sync(0xffffffff, hit);
    if (hit) atomicAdd(found, __popc(hits)); // every lane that hit adds for the whole warp
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
