// lab: reduce-4-warp
// expect: fail counter
// Every lane of a warp adds all elements of a sum, and the first lane stores it: no tree and no barrier.
__global__ void sums(const int *in, int *out, int n) {
    int from = blockIdx.x * 512, s = 0;
    if (from + 512 <= n) {
        const int4 *p = (const int4 *)(in + from);
#pragma unroll 16
        for (int k = 0; k < 512 / 4; k++) { int4 v = p[k]; s += v.x + v.y + v.z + v.w; }
    } else for (int i = from; i < n; i++) s += in[i];
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
void reduce(const int *in, int *out, int n) { sums<<<(n + 511) / 512, 32>>>(in, out, n); }
