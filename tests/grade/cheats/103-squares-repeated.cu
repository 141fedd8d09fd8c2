// lab: errors
// expect: fail counter
// expect: says repeated_store_bytes is
// Eight lanes square the same element.
__global__ void square(const float *in, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (i < n) out[i] = in[i] * in[i];
}
void errors(const float *in, float *out, int n) { square<<<(n + 15) / 16, 128>>>(in, out, n); }
