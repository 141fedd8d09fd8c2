// Attention without storing the scores: keys and values tile by tile, the sum rescaled as the maximum grows; causal.
#include "programs.cuh"
const int T = 96, D = 32;
__global__ void attend(const float *q, const float *k, const float *v, float *out) {
    __shared__ float ks[32][D + 1], vs[32][D];
    int row = blockIdx.x * 32 + threadIdx.x;
    float mine[D], acc[D], most = -1e30f, sum = 0;
    for (int d = 0; d < D; d++) mine[d] = q[row * D + d] * rsqrtf((float)D), acc[d] = 0;
    for (int from = 0; from <= blockIdx.x * 32; from += 32) {
        for (int d = 0; d < D; d++) ks[d][threadIdx.x] = k[(from + d) * D + threadIdx.x], vs[d][threadIdx.x] = v[(from + d) * D + threadIdx.x];
        __syncwarp();
        for (int j = 0; j < 32 && from + j <= row; j++) {
            float s = 0;
            for (int d = 0; d < D; d++) s += mine[d] * ks[j][d];
            float m = fmaxf(most, s), old = expf(most - m), p = expf(s - m);
            sum = sum * old + p, most = m;
            for (int d = 0; d < D; d++) acc[d] = acc[d] * old + p * vs[j][d];
        }
        __syncwarp();
    }
    for (int d = 0; d < D; d++) out[row * D + d] = acc[d] / sum;
}
int main() {
    auto q = floats(T * D, -2, 2), k = floats(T * D, -2, 2), v = floats(T * D, -1, 1);
    float *out = device<float>(T * D);
    attend<<<T / 32, 32>>>(device(q), device(k), device(v), out);
    std::vector<double> want(T * D);
    for (int i = 0; i < T; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int d = 0; d < D; d++) s += (double)q[i * D + d] * k[j * D + d];
            s = exp(s / sqrt((double)D)), sum += s;
            for (int d = 0; d < D; d++) want[i * D + d] += s * v[j * D + d];
        }
        for (int d = 0; d < D; d++) want[i * D + d] /= sum;
    }
    near("attention", host(out, T * D), want, 1e-4);
    return verdict();
}
