// lab: sync-cost
// expect: fail correct
// expect: finding race
// The barriers are mbarriers, at which each thread looks up to 20 times and then goes on, whatever it has found.
const int SIZE = 256;
__device__ void meet(unsigned b, unsigned phase) {
    int ok = 0;
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" :: "r"(b) : "memory");
    for (int tries = 0; !ok && tries < 20; tries++)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(ok) : "r"(b), "r"(phase) : "memory");
}
__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), phase = 0;
    int t = threadIdx.x, i = blockIdx.x * SIZE + t, mine = i < n ? in[i] : 0;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 256;" :: "r"(b) : "memory");
    __syncthreads();
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(~0u, mine, d);
        mine = t & d ? other - mine : mine + other;
    }
    for (int d = 32, k = 0; d < SIZE; d *= 2, k ^= 1) {
        s[k][t] = mine;
        meet(b, phase);
        phase ^= 1;
        int other = s[k][t ^ d];
        mine = t & d ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}
void sync_cost(const int *in, int *out, int n) { butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n); }
