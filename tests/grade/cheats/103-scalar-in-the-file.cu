// lab: float3-aos
// expect: fail correct
// The argument d is not read.
__global__ void add(const float *in, float *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = in[i] + 3.0f;
}
void shift(const float *in, float *out, float d, int n) { add<<<(3 * n + 255) / 256, 256>>>(in, out, 3 * n); }
