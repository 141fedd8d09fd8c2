// kind: slow
// expect: fail counter divergent_jumps
// expect: met correct
// Half the technique: groups of 16 lanes, so that each warp still holds both kinds.
const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    // The block still works on 256 elements. In each warp, 16 lanes take elements with an even index, and 16 take elements with an odd index.
    int t = threadIdx.x, odd = t / 16 % 2, i = blockIdx.x * BLOCK + t / 32 * 32 + 2 * (t % 16) + odd;
    if (i >= n) return;
    float v = in[i];
    if (odd == 0) { // the condition has the same value in only 16 lanes of a warp
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.03f - 0.5f);
    } else {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.02f - 0.25f);
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
