// lab: reduce-1-divergent
// expect: fail correct
// The tree adds shorts.
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ short sum[256];
    unsigned tid = threadIdx.x, i = blockIdx.x * 256 + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < 256) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 255) / 256, 256>>>(in, out, n); }
