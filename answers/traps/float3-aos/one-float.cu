// kind: wrong
// expect: fail correct
// Treats the array as n floats: two thirds of the output are never written.
__global__ void add(const float *in, float *out, float d, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = in[i] + d;
}
void shift(const float *in, float *out, float d, int n) { add<<<(n + 255) / 256, 256>>>(in, out, d, n); }
