// kind: slow
// expect: fail counter inst_double
// expect: met correct
// A cast around the expression: it converts the result, and the arithmetic stays double.
const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = (float)(in[i] / 32768.0);
    for (int k = 0; k < steps; k++) v = (float)(v * 0.98 + 0.01);
    out[i] = sinf((float)(v * 3.141592653589793));
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
