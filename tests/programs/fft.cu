// Stockham's transform of 1024 points, batched: forward against the definition, and back again.
#include "programs.cuh"
const int N = 1024, BATCH = 4;
__global__ void fft(const float2 *in, float2 *out, float sign) {
    __shared__ float2 s[2][N];
    in += blockIdx.x * N, out += blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[0][i] = in[i];
    int from = 0;
    for (int half = 1; half < N; half *= 2, from ^= 1) {
        __syncthreads();
        for (int j = threadIdx.x; j < N / 2; j += blockDim.x) {
            int k = j & (half - 1), to = (j - k) * 2 + k;
            float sn, cs;
            sincospif(sign * k / half, &sn, &cs);
            float2 a = s[from][j], b = s[from][j + N / 2], t = {b.x * cs - b.y * sn, b.x * sn + b.y * cs};
            s[from ^ 1][to] = make_float2(a.x + t.x, a.y + t.y);
            s[from ^ 1][to + half] = make_float2(a.x - t.x, a.y - t.y);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) out[i] = s[from][i];
}
int main() {
    std::vector<float2> a(N * BATCH);
    for (auto &x : a) x = make_float2(rndf(-1, 1), rndf(-1, 1));
    float2 *in = device(a), *there = device<float2>(a.size()), *back = device<float2>(a.size());
    fft<<<BATCH, 256>>>(in, there, -1);
    fft<<<BATCH, 256>>>(there, back, 1);
    auto t = host(there, a.size()), b = host(back, a.size());
    std::vector<double> got, want;
    for (int f = 0; f < N; f += 37) {
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double w = -2 * M_PI * ((long long)f * i % N) / N;
            re += a[N + i].x * cos(w) - a[N + i].y * sin(w), im += a[N + i].x * sin(w) + a[N + i].y * cos(w);
        }
        got.push_back(t[N + f].x), got.push_back(t[N + f].y), want.push_back(re), want.push_back(im);
    }
    near("spectrum", got, want, 1e-3);
    std::vector<float> x, y;
    for (size_t i = 0; i < a.size(); i++) x.push_back(b[i].x / N), x.push_back(b[i].y / N), y.push_back(a[i].x), y.push_back(a[i].y);
    near("there and back", x, y, 1e-5);
    return verdict();
}
