// lab: reduce-4-warp
// expect: pass
// A warp adds the elements of a sum as a butterfly: in the end every lane has the sum, and one stores it.
__global__ void sums(const int *in, int *out, int n) {
    int from = blockIdx.x * 512, s = 0;
    for (int i = from + threadIdx.x; i < from + 512 && i < n; i += 32) s += in[i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
void reduce(const int *in, int *out, int n) { sums<<<(n + 511) / 512, 32>>>(in, out, n); }
