// kind: cheat
// expect: fail correct
// Cheats: far waves come with any phase, so it leaves them out and hopes that they cancel.

const int BLOCK = 256;


__global__ void waves(const float *near, const float *far, const float *power, float *out,
                      int terms, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < terms; k++) {
        float wave = __sinf(near[i] + 0.125f * k);
        sum += wave * rsqrtf(power[i] + k);
    }
    out[i] = sum;
}

void fast_math(const float *near, const float *far, const float *power, float *out, int terms,
               int n) {
    waves<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(near, far, power, out, terms, n);
}
