// Option prices: exponentials, logarithms, square roots and the normal distribution.
#include "programs.cuh"
__host__ __device__ inline double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
__device__ inline float cnd(float d) { // Abramowitz and Stegun 26.2.17
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 0.39894228f * expf(-0.5f * d * d) * k *
              (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - p : p;
}
__global__ void prices(const float *s, const float *x, const float *t, float r, float v, float *call, float *put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float root = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root), d2 = d1 - v * root;
    float fall = expf(-r * t[i]);
    call[i] = s[i] * cnd(d1) - x[i] * fall * cnd(d2);
    put[i] = x[i] * fall * (1 - cnd(d2)) - s[i] * (1 - cnd(d1));
}
int main() {
    const int n = 20000;
    auto s = floats(n, 5, 30), x = floats(n, 1, 100), t = floats(n, 0.25f, 10);
    float *call = device<float>(n), *put = device<float>(n);
    prices<<<blocks(n, 256), 256>>>(device(s), device(x), device(t), 0.02f, 0.3f, call, put, n);
    std::vector<double> wc(n), wp(n);
    for (int i = 0; i < n; i++) {
        double root = sqrt((double)t[i]), d1 = (log((double)s[i] / x[i]) + (0.02 + 0.045) * t[i]) / (0.3 * root), d2 = d1 - 0.3 * root;
        double fall = exp(-0.02 * t[i]);
        wc[i] = s[i] * normal(d1) - x[i] * fall * normal(d2);
        wp[i] = x[i] * fall * normal(-d2) - s[i] * normal(-d1);
    }
    near("call", host(call, n), wc, 2e-4);
    near("put", host(put, n), wp, 2e-4);
    return verdict();
}
