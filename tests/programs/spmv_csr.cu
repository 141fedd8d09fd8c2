// A sparse matrix times a vector: a thread a row, and a warp a row with a sum by shuffles; rows of very different lengths.
// fast
#include "programs.cuh"
__global__ void by_thread(int n, const int *row, const int *col, const float *v, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    for (int i = row[r]; i < row[r + 1]; i++) sum += v[i] * x[col[i]];
    y[r] = sum;
}
__global__ void by_warp(int n, const int *row, const int *col, const float *v, const float *x, float *y) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= n) return;
    float sum = 0;
    for (int i = row[r] + lane; i < row[r + 1]; i += 32) sum += v[i] * x[col[i]];
    for (int by = 16; by; by /= 2) sum += __shfl_down_sync(~0u, sum, by);
    if (!lane) y[r] = sum;
}
int main() {
    const int n = 1500;
    std::vector<int> row(1), col;
    std::vector<float> v;
    std::vector<double> want(n);
    auto x = floats(n, -1, 1);
    for (int r = 0; r < n; r++) {
        for (int k = rnd() % 8 ? rnd() % 12 : rnd() % 300; k > 0; k--) {
            col.push_back(rnd() % n), v.push_back(rndf(-1, 1));
            want[r] += (double)v.back() * x[col.back()];
        }
        row.push_back((int)col.size());
    }
    int *dr = device(row), *dc = device(col);
    float *dv = device(v), *dx = device(x), *y = device<float>(n), *z = device<float>(n);
    by_thread<<<blocks(n, 128), 128>>>(n, dr, dc, dv, dx, y);
    by_warp<<<blocks(n, 4), 128>>>(n, dr, dc, dv, dx, z);
    near("by thread", host(y, n), want, 1e-5);
    near("by warp", host(z, n), want, 1e-5);
    return verdict();
}
