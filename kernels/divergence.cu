// The baseline of divergence: elements with an even and with an odd index take different paths, and each warp has 16 of each kind.
const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    if (i % 2 == 0) {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.03f - 0.5f);
    } else {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.02f - 0.25f);
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
