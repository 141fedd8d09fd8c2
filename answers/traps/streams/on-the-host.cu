// kind: cheat
// expect: fail counter d2h_bytes
// Cheats: the buffers are the host's, so the host filters out itself, and nothing is copied back.
__global__ void show(const float *in, float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

void streams(const float *in, float *x, float *out, int n, int rounds) {
    show<<<(n + 255) / 256, 256>>>(in, x, n, rounds);
    for (int i = 0; i < n; i++) {
        float v = in[i];
        for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
        out[i] = v;
    }
}
