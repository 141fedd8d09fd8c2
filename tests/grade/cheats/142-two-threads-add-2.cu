// lab: reduce-2-banks
// expect: fail counter
// Two threads add all elements of a sum: no tree and no shared memory.
__global__ void sums(const int *in, int *out, int n) {
    int from = blockIdx.x * 256, s = 0;
    if (from + 256 <= n) {
        const int4 *p = (const int4 *)(in + from);
#pragma unroll 16
        for (int k = threadIdx.x; k < 64; k += 2) { int4 v = p[k]; s += v.x + v.y + v.z + v.w; }
    } else for (int i = from + threadIdx.x; i < n; i += 2) s += in[i];
    s += __shfl_xor_sync(3, s, 1);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
void reduce(const int *in, int *out, int n) { sums<<<(n + 255) / 256, 2>>>(in, out, n); }
