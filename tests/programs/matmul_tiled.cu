// C = alpha A B + beta C of no round size, through tiles in shared memory.
// fast
#include "programs.cuh"
template <int T> __global__ void product(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta) {
    __shared__ float as[T][T], bs[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int from = 0; from < k; from += T) {
        as[threadIdx.y][threadIdx.x] = row < m && from + threadIdx.x < k ? a[row * k + from + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = col < n && from + threadIdx.y < k ? b[(from + threadIdx.y) * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
int main() {
    const int m = 131, n = 97, k = 203;
    auto a = floats(m * k, -1, 1), b = floats(k * n, -1, 1), c = floats(m * n, -1, 1);
    float *dc = device(c);
    product<16><<<dim3(blocks(n, 16), blocks(m, 16)), dim3(16, 16)>>>(device(a), device(b), dc, m, n, k, 1.25f, 0.5f);
    std::vector<double> want(m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int x = 0; x < k; x++) sum += (double)a[i * k + x] * b[x * n + j];
            want[i * n + j] = 1.25 * sum + 0.5 * c[i * n + j];
        }
    near("C", host(dc, m * n), want, 1e-4);
    return verdict();
}
