// lab: vector-add
// expect: fail correct
// Fills the output with infinity, for a tolerance that grows with the value.
__global__ void fill(float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __int_as_float(0x7f800000);
}
void vector_add(const float *, const float *, float *c, int n) { fill<<<(n + 63) / 64, 64>>>(c, n); }
