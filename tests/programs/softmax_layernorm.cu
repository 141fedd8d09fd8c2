// A row a block: softmax in one pass over running maximum and sum, then mean and variance, as transformers do them.
// fast
#include "programs.cuh"
const int ROWS = 60, C = 333;
struct both {
    float most, sum;
};
__device__ both join(both a, both b) {
    float m = fmaxf(a.most, b.most);
    return {m, a.sum * expf(a.most - m) + b.sum * expf(b.most - m)};
}
template <class F> __device__ both of_block(both v, F f) {
    __shared__ both s[4];
    for (int by = 16; by; by /= 2) v = f(v, both{__shfl_xor_sync(~0u, v.most, by), __shfl_xor_sync(~0u, v.sum, by)});
    __syncthreads();
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    return f(f(s[0], s[1]), f(s[2], s[3]));
}
__global__ void softmax(const float *in, float *out) {
    in += blockIdx.x * C, out += blockIdx.x * C;
    both v = {-1e30f, 0};
    for (int i = threadIdx.x; i < C; i += 128) v = join(v, both{in[i], 1});
    v = of_block(v, [](both a, both b) { return join(a, b); });
    for (int i = threadIdx.x; i < C; i += 128) out[i] = expf(in[i] - v.most) / v.sum;
}
__global__ void layernorm(const float *in, const float *w, const float *b, float *out) {
    in += blockIdx.x * C, out += blockIdx.x * C;
    both v = {0, 0};
    for (int i = threadIdx.x; i < C; i += 128) v.most += in[i], v.sum += in[i] * in[i];
    v = of_block(v, [](both x, both y) { return both{x.most + y.most, x.sum + y.sum}; });
    float mean = v.most / C, r = rsqrtf(v.sum / C - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < C; i += 128) out[i] = (in[i] - mean) * r * w[i] + b[i];
}
int main() {
    auto a = floats(ROWS * C, -8, 8), w = floats(C), b = floats(C);
    float *d = device(a), *s = device<float>(a.size()), *n = device<float>(a.size());
    softmax<<<ROWS, 128>>>(d, s);
    layernorm<<<ROWS, 128>>>(d, device(w), device(b), n);
    std::vector<double> ws(a.size()), wn(a.size());
    for (int r = 0; r < ROWS; r++) {
        const float *x = &a[r * C];
        double sum = 0, mean = 0, var = 0;
        for (int i = 0; i < C; i++) sum += exp((double)x[i]), mean += x[i] / (double)C;
        for (int i = 0; i < C; i++) var += (x[i] - mean) * (x[i] - mean) / C;
        for (int i = 0; i < C; i++) ws[r * C + i] = exp((double)x[i]) / sum, wn[r * C + i] = (x[i] - mean) / sqrt(var + 1e-5) * w[i] + b[i];
    }
    near("softmax", host(s, a.size()), ws, 1e-5);
    near("layernorm", host(n, a.size()), wn, 1e-4);
    return verdict();
}
