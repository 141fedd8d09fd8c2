// lab: constants
// expect: pass
// Everything is in single precision; the sine is the special-function unit's, of an angle that has been brought near to zero.
__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = in[i] * (1 / 32768.0f);
    for (int k = 0; k < steps; k++) v = fmaf(v, 0.98f, 0.01f);
    out[i] = sinpif(v);
}
void constants(const short *in, float *out, int steps, int n) { damp<<<(n + 255) / 256, 256>>>(in, out, steps, n); }
