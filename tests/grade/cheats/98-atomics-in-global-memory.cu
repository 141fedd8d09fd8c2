// lab: reduce-3-idle
// expect: fail counter
// expect: says atomics is
// No tree: each thread adds to the block's word in global memory by an atomic.
__global__ void add(const int *in, int *out, int n) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) atomicAdd(&out[i / 512], in[i]);
}
void reduce(const int *in, int *out, int n) {
    cudaMemsetAsync(out, 0, 4 * ((n + 511) / 512));
    add<<<(n + 255) / 256, 256>>>(in, out, n);
}
