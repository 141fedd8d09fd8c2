// The baseline of fast-math: precise functions throughout. Half of the arguments lie beyond 105615, where sinf takes its slow path.

const int BLOCK = 256;

__global__ void waves(const float *near, const float *far, const float *power, float *out,
                      int terms, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < terms; k++) {
        float wave = sinf(near[i] + 0.125f * k) + sinf(far[i] + 512.0f * k);
        sum += wave / sqrtf(power[i] + k);
    }
    out[i] = sum;
}

void fast_math(const float *near, const float *far, const float *power, float *out, int terms,
               int n) {
    waves<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(near, far, power, out, terms, n);
}
