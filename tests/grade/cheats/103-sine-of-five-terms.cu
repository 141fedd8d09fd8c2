// lab: constants
// expect: fail correct
// The sine is a polynomial, whose error is a hundred times that of a float.
__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = in[i] / 32768.0f;
    for (int k = 0; k < steps; k++) v = v * 0.98f + 0.01f;
    float q = v * v;
    out[i] = v * (3.141527897f + q * (-5.166401760f + q * (2.542712862f + q * (-0.581859240f + q * (0.064026091f)))));
}
void constants(const short *in, float *out, int steps, int n) { damp<<<(n + 255) / 256, 256>>>(in, out, steps, n); }
