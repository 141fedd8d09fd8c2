// lab: warp-aggregate
// expect: pass
// Each warp counts by a vote, and one lane of each warp arrives at an mbarrier that stands for __syncthreads().
const int BLOCK = 256, WARPS = BLOCK / 32;
__global__ void tally(const int *in, int limit, int *found, int n) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ int hits[WARPS];
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(WARPS) : "memory");
    __syncthreads();
    unsigned vote = __ballot_sync(0xffffffff, i < n && in[i] < limit);
    if (threadIdx.x % 32 == 0) {
        hits[warp] = __popc(vote);
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" :: "r"(b) : "memory");
    }
    if (threadIdx.x) return;
    int ok = 0, sum = 0;
    while (!ok) asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(ok) : "r"(b) : "memory");
    for (int k = 0; k < WARPS; k++) sum += hits[k];
    if (sum) atomicAdd(found, sum);
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
