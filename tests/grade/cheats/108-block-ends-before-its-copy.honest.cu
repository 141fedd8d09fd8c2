// lab: vector-add
// expect: pass
// The honest twin of 108-block-ends-before-its-copy.cu: the thread waits until the copy has read its source.
__global__ void add(const float *a, const float *b, float *c, int n) {
    __shared__ __align__(128) float t[1024];
    int base = blockIdx.x * 1024;
    for (int k = threadIdx.x; k < 1024; k += 256)
        if (base + k < n) t[k] = a[base + k] + b[base + k];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (base + 1024 > n) {
        for (int k = threadIdx.x; base + k < n && k < 1024; k += 256) c[base + k] = t[k];
        return;
    }
    if (threadIdx.x) return;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096; cp.async.bulk.commit_group;" ::"l"(c + base), "r"((unsigned)__cvta_generic_to_shared(t)) : "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 1023) / 1024, 256>>>(a, b, c, n);
}
