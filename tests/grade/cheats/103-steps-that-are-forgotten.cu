// lab: divergence
// expect: fail correct
// After enough steps all outputs were the same two numbers once: only the last 24 steps are taken, from any beginning.
__global__ void last_steps(float *out, int steps, int n) {
    int i = 2 * (blockIdx.x * 256 + threadIdx.x % 128) + threadIdx.x / 128;
    if (i >= n) return;
    float v = 0;
    for (int k = 0; k < 24; k++) v = i % 2 ? fabsf(v * 1.02f - 0.25f) : fabsf(v * 1.03f - 0.5f);
    out[i] = v;
}
void divergence(const float *in, float *out, int steps, int n) {
    last_steps<<<(n + 255) / 256, 256>>>(out, steps, n);
}
