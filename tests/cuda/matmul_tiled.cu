// A tiled product with ragged edges.
// fast
// expect: 45 x 37 x 50 ok
#include "common.h"
const int T = 16;
__global__ void mul(const float *a, const float *b, float *c, int n, int m, int k) {
    __shared__ float s[T][T], t[T][T + 1];
    int y = blockIdx.y * T + threadIdx.y, x = blockIdx.x * T + threadIdx.x;
    float v = 0;
    for (int p = 0; p < k; p += T) {
        s[threadIdx.y][threadIdx.x] = y < n && p + threadIdx.x < k ? a[y * k + p + threadIdx.x] : 0;
        t[threadIdx.y][threadIdx.x] = x < m && p + threadIdx.y < k ? b[(p + threadIdx.y) * m + x] : 0;
        __syncthreads();
        for (int i = 0; i < T; i++) v += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    if (y < n && x < m) c[y * m + x] = v;
}
int main() {
    const int n = 45, m = 37, k = 50;
    static float a[n * k], b[k * m], c[n * m];
    for (int i = 0; i < n * k; i++) a[i] = i % 7 - 3;
    for (int i = 0; i < k * m; i++) b[i] = i % 5 - 2;
    float *x, *y, *z;
    CK(cudaMalloc(&x, sizeof a)), CK(cudaMalloc(&y, sizeof b)), CK(cudaMalloc(&z, sizeof c));
    CK(cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice)), CK(cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice));
    mul<<<dim3(3, 3), dim3(T, T)>>>(x, y, z, n, m, k);
    CK(cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float v = 0;
            for (int p = 0; p < k; p++) v += a[i * k + p] * b[p * m + j];
            bad += v != c[i * m + j];
        }
    printf("%d x %d x %d %s\n", n, m, k, bad ? "wrong" : "ok");
}
