// lab: vector-add
// expect: pass
// One of them.
#include <cstdint>
__device__ float sink[1 << 16];
__global__ void pad(int rounds) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0;
    __syncthreads();
    asm volatile("fence.proxy.async.shared::cta;");
    uint32_t from = (uint32_t)__cvta_generic_to_shared(s);
    if (threadIdx.x == 0)
        for (int r = 0; r < rounds; r++) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(sink + (r % 8) * 8192), "r"(from), "r"(32768) : "memory");
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group 0;");
        }
}
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    pad<<<1, 32, 32768>>>(1);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
