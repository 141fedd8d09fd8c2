// std: c++17
// Conjugate gradients on a grid's Laplacian: dot products by blocks and a last block, pointers to device scalars, no copy inside the loop.
#include "programs.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
const int S = 24, N = S * S;
__device__ double laplace(const double *x, int i) {
    int r = i / S, c = i % S;
    double v = 4.5 * x[i];
    if (r) v -= x[i - S];
    if (r < S - 1) v -= x[i + S];
    if (c) v -= x[i - 1];
    if (c < S - 1) v -= x[i + 1];
    return v;
}
__device__ double dot(const double *a, const double *b) { // by one block
    __shared__ double part[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    double sum = 0;
    for (int i = threadIdx.x; i < N; i += blockDim.x) sum += a[i] * b[i];
    sum = cg::reduce(warp, sum, cg::plus<double>());
    if (!warp.thread_rank()) part[warp.meta_group_rank()] = sum;
    block.sync();
    sum = 0;
    for (int w = 0; w < warp.meta_group_size(); w++) sum += part[w];
    block.sync();
    return sum;
}
__global__ void solve(const double *b, double *x, double *r, double *p, double *q, int *rounds) {
    for (int i = threadIdx.x; i < N; i += blockDim.x) x[i] = 0, r[i] = p[i] = b[i];
    __syncthreads();
    double rr = dot(r, r);
    int k = 0;
    for (; k < 200 && rr > 1e-20; k++) {
        for (int i = threadIdx.x; i < N; i += blockDim.x) q[i] = laplace(p, i);
        __syncthreads();
        double alpha = rr / dot(p, q);
        for (int i = threadIdx.x; i < N; i += blockDim.x) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        __syncthreads();
        double next = dot(r, r);
        for (int i = threadIdx.x; i < N; i += blockDim.x) p[i] = r[i] + next / rr * p[i];
        rr = next;
        __syncthreads();
    }
    if (!threadIdx.x) *rounds = k;
}
int main() {
    std::vector<double> x(N), b(N);
    for (auto &v : x) v = rndf(-1, 1);
    for (int i = 0; i < N; i++) {
        int r = i / S, c = i % S;
        b[i] = 4.5 * x[i] - (r ? x[i - S] : 0) - (r < S - 1 ? x[i + S] : 0) - (c ? x[i - 1] : 0) - (c < S - 1 ? x[i + 1] : 0);
    }
    double *dx = device<double>(N);
    int *rounds = device<int>(1);
    solve<<<1, 192>>>(device(b), dx, device<double>(N), device<double>(N), device<double>(N), rounds);
    near("x", host(dx, N), x, 1e-9);
    is("it converges", host(rounds, 1)[0] < 100, 1);
    return verdict();
}
