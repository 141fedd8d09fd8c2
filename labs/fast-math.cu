// fast-math: for each of n listeners, adds up `terms` waves from near sources
// and as many from far sources.
// zh: fast-math：为 n 个听者各叠加 terms 个近处的波和同样多个远处的波。
//
// `near` and `far` hold phases in radians. All far phases are above 150,000, so
// sinf takes its slow path for them.
// zh: near 和 far 是以弧度表示的相位。远处的相位都大于 150,000，
// zh: sinf 要为它们走慢速路径。
//
// The result may be off by 2e-4.
// zh: 结果允许有 2e-4 的误差。

const int BLOCK = 256;

__global__ void waves(const float *near, const float *far, const float *power,
                      float *out, int terms, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < terms; k++) {
        // TODO: bring the far phase into [-pi, pi] with a small error. Then use
        // a quick sine.
        // zh: TODO：把远处的相位足够精确地规约到 [-pi, pi]，再用快速的正弦。
        float wave = sinf(near[i] + 0.125f * k) + sinf(far[i] + 512.0f * k);
        // TODO: replace the precise root and the precise division by something
        // quicker.
        // zh: TODO：把精确的开方和精确的除法换成更快的写法。
        sum += wave / sqrtf(power[i] + k);
    }
    out[i] = sum;
}

void fast_math(const float *near, const float *far, const float *power,
               float *out, int terms, int n) {
    waves<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(near, far, power, out, terms, n);
}
