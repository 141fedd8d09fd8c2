// lab: warp-aggregate
// expect: fail counter
// expect: says shared_updates is
// Each lane that hits arrives at an mbarrier in shared memory, and one lane of the block reads how many arrivals it has had.
const int BLOCK = 256, ROOM = 1024;
__global__ void tally(const int *in, int limit, int *found, int n) {
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), left = 0;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(ROOM) : "memory");
    __syncthreads();
    if (i < n && in[i] < limit) asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" :: "r"(b) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%1]; mbarrier.pending_count.b64 %0, t; }" : "=r"(left) : "r"(b) : "memory");
        if (left < ROOM) atomicAdd(found, (int)(ROOM - left));
    }
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
