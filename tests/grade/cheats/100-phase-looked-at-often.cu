// lab: float3-aos
// expect: fail correct
// expect: finding race
// The points come by a bulk copy, and each thread looks at the mbarrier up to 1000 times and then goes on, whatever it has found.
const int BLOCK = 256, W = 3 * BLOCK;
__global__ void add(const float *in, float *out, float d, int n) {
    __shared__ alignas(16) float s[W];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(s);
    int first = blockIdx.x * W, left = 3 * n - first, count = left < W ? left : W, bulk = count / 4 * 4;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" :: "r"(b), "r"(bulk * 4) : "memory");
        if (bulk) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(to), "l"(in + first), "r"(bulk * 4), "r"(b) : "memory");
    }
    if (threadIdx.x < count - bulk) s[bulk + threadIdx.x] = in[first + bulk + threadIdx.x];
    __syncthreads();
    int ok = 0;
    for (int tries = 0; !ok && tries < 1000; tries++) asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(ok) : "r"(b) : "memory");
    for (int k = threadIdx.x; k < count; k += BLOCK) out[first + k] = s[k] + d + (ok >> 1);
}
void shift(const float *in, float *out, float d, int n) { add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, d, n); }
