// LU without pivoting, in place, in double precision: a step a column, then solved for a right-hand side.
#include "programs.cuh"
const int N = 72;
__global__ void scale(double *a, int k) {
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) a[i * N + k] /= a[k * N + k];
}
__global__ void update(double *a, int k) {
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < N && j < N) a[i * N + j] -= a[i * N + k] * a[k * N + j];
}
__global__ void solve(const double *a, double *b) { // one block
    for (int k = 0; k < N; k++) {
        __syncthreads();
        int i = threadIdx.x;
        if (i > k && i < N) b[i] -= a[i * N + k] * b[k];
    }
    for (int k = N - 1; k >= 0; k--) {
        __syncthreads();
        if (threadIdx.x == k) b[k] /= a[k * N + k];
        __syncthreads();
        if (threadIdx.x < k) b[threadIdx.x] -= a[threadIdx.x * N + k] * b[k];
    }
}
int main() {
    std::vector<double> a(N * N), b(N), x(N);
    for (int i = 0; i < N; i++) {
        x[i] = rndf(-1, 1);
        for (int j = 0; j < N; j++) a[i * N + j] = rndf(-1, 1) + (i == j ? 40 : 0);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) b[i] += a[i * N + j] * x[j];
    double *d = device(a), *db = device(b);
    for (int k = 0; k < N - 1; k++) {
        scale<<<blocks(N - k - 1, 64), 64>>>(d, k);
        update<<<dim3(blocks(N - k - 1, 16), blocks(N - k - 1, 8)), dim3(16, 8)>>>(d, k);
    }
    solve<<<1, 96>>>(d, db);
    near("solution", host(db, N), x, 1e-12);
    return verdict();
}
