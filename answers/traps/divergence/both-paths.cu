// kind: cheat
// expect: fail counter warp_inst
// expect: met correct
// Cheats on the counter: every lane computes both results and picks one. No branch diverges, and nothing is saved.
const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i], w = v;
    for (int k = 0; k < steps; k++) v = fabsf(v * 1.03f - 0.5f), w = fabsf(w * 1.02f - 0.25f);
    out[i] = i % 2 == 0 ? v : w;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
