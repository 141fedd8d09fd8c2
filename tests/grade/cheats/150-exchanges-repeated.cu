// lab: errors
// expect: fail counter
// expect: says repeated_store_bytes is
// Four threads write each element, and they write with atomics.
__global__ void square(const float *in, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
    if (i < n) atomicExch(&out[i], in[i] * in[i]);
}
void errors(const float *in, float *out, int n) { square<<<(n + 63) / 64, 256>>>(in, out, n); }
