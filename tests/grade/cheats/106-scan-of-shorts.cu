// lab: scan-block
// expect: fail correct
// Sums are kept as shorts, two elements in one word.
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int total[8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, i = blockIdx.x * 512 + 2 * t;
    short a = i < n ? in[i] : 0, b = i + 1 < n ? in[i + 1] : 0;
    short v = a + b;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        short left = (short)__shfl_up_sync(~0u, (int)v, s);
        if (lane >= s) v += left;
    }
    if (lane == 31) total[w] = v;
    __syncthreads();
    short base = 0;
    if (lane < 8) base = (short)total[lane];
#pragma unroll
    for (int s = 1; s < 8; s *= 2) {
        short left = (short)__shfl_up_sync(~0u, (int)base, s);
        if (lane >= s) base += left;
    }
    base = (short)__shfl_sync(~0u, (int)base, w ? w - 1 : 0);
    if (w == 0) base = 0;
    short second = v + base, first = second - b;
    if (i < n) out[i] = first;
    if (i + 1 < n) out[i + 1] = second;
}
void scan_block(const int *in, int *out, int n) { scan<<<(n + 511) / 512, 256>>>(in, out, n); }
