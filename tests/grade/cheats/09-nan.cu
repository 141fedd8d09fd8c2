// lab: vector-add
// expect: fail correct
// Fills the output with NaN, for a comparison that NaN passes.
__global__ void fill(float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __int_as_float(0x7fc00000);
}
void vector_add(const float *, const float *, float *c, int n) { fill<<<(n + 63) / 64, 64>>>(c, n); }
