// All shortest paths in blocks: the diagonal, then its row and column, then the rest, through shared memory.
#include "programs.cuh"
const int T = 16, N = 8 * T, FAR = 1 << 20;
__global__ void diagonal(int *d, int b) {
    __shared__ int s[T][T];
    int x = threadIdx.x, y = threadIdx.y, at = (b * T + y) * N + b * T + x;
    s[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < T; k++) {
        int v = min(s[y][x], s[y][k] + s[k][x]);
        __syncthreads();
        s[y][x] = v;
        __syncthreads();
    }
    d[at] = s[y][x];
}
__global__ void cross(int *d, int b) {
    __shared__ int s[T][T], p[T][T];
    int x = threadIdx.x, y = threadIdx.y, other = blockIdx.x + (blockIdx.x >= b), row = blockIdx.y;
    int at = row ? (b * T + y) * N + other * T + x : (other * T + y) * N + b * T + x;
    p[y][x] = d[(b * T + y) * N + b * T + x], s[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < T; k++) {
        int v = row ? p[y][k] + s[k][x] : s[y][k] + p[k][x];
        v = min(v, s[y][x]);
        __syncthreads();
        s[y][x] = v;
        __syncthreads();
    }
    d[at] = s[y][x];
}
__global__ void rest(int *d, int b) {
    __shared__ int r[T][T], c[T][T];
    int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x + (blockIdx.x >= b), by = blockIdx.y + (blockIdx.y >= b);
    r[y][x] = d[(b * T + y) * N + bx * T + x], c[y][x] = d[(by * T + y) * N + b * T + x];
    __syncthreads();
    int v = d[(by * T + y) * N + bx * T + x];
    for (int k = 0; k < T; k++) v = min(v, c[y][k] + r[k][x]);
    d[(by * T + y) * N + bx * T + x] = v;
}
int main() {
    std::vector<int> a(N * N, FAR);
    for (int i = 0; i < N; i++) {
        a[i * N + i] = 0;
        for (int k = 0; k < 4; k++) a[i * N + rnd() % N] = 1 + rnd() % 50;
    }
    int *d = device(a);
    dim3 t(T, T);
    for (int b = 0; b < N / T; b++) {
        diagonal<<<1, t>>>(d, b);
        cross<<<dim3(N / T - 1, 2), t>>>(d, b);
        rest<<<dim3(N / T - 1, N / T - 1), t>>>(d, b);
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) a[i * N + j] = std::min(a[i * N + j], a[i * N + k] + a[k * N + j]);
    equal("paths", host(d, N * N), a);
    return verdict();
}
