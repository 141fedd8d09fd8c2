// fast-math: adds up `terms` waves from near and as many from far for each of
// n listeners.
// zh: fast-math：为 n 个听者各叠加 terms 个近处的波和同样多个远处的波。
//
// near and far are phases in radians. The far ones lie beyond 150,000, where
// sinf is slowest.
// zh: near 和 far 是弧度表示的相位。远处的都大于 150,000，
// zh: 那里正是 sinf 最慢的地方。
//
// The result must be right to 2e-4 and need not be better.
// zh: 结果准确到 2e-4 即可，不必更准。

const int BLOCK = 256;

__global__ void waves(const float *near, const float *far, const float *power,
                      float *out, int terms, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < terms; k++) {
        // TODO: bring the far phase into [-pi, pi], exactly enough, and then
        // use quick functions.
        // zh: TODO：先把远处的相位足够精确地归约到 [-pi, pi]，再改用快速函数。
        float wave = sinf(near[i] + 0.125f * k) + sinf(far[i] + 512.0f * k);
        // TODO: a precise square root and a precise division: there is a
        // shorter way.
        // zh: TODO：这里用了精确的开方和精确的除法，有更短的办法。
        sum += wave / sqrtf(power[i] + k);
    }
    out[i] = sum;
}

void fast_math(const float *near, const float *far, const float *power,
               float *out, int terms, int n) {
    waves<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(near, far, power, out, terms, n);
}
