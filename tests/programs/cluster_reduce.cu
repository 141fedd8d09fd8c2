// std: c++17
// Sums over rows by clusters: each block takes a part of the row, the parts meet in a tree over the blocks' shared memory; and a stencil of
// many steps whose tiles stay in shared memory, halos read from the neighbouring blocks.
// arch: sm_90
// fast
#include "programs.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(8) rows(const float *a, int width, float *sum) {
    __shared__ float part[128], whole;
    cg::cluster_group c = cg::this_cluster();
    int rank = c.block_rank(), t = threadIdx.x, row = blockIdx.x / 8;
    float mine = 0;
    for (int i = rank * 128 + t; i < width; i += 8 * 128) mine += a[row * width + i];
    part[t] = mine;
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (!t) whole = part[0];
    for (int half = 4; half; half /= 2) {
        c.sync();
        if (!t && rank < half) whole += *c.map_shared_rank(&whole, rank + half);
    }
    c.sync();
    if (!rank && !t) sum[row] = whole;
}

enum { TILE = 64, STEPS = 20 };
__global__ void __cluster_dims__(4) stencil(const float *in, float *out) {
    __shared__ float a[2][TILE];
    cg::cluster_group c = cg::this_cluster();
    int rank = c.block_rank(), t = threadIdx.x, i = blockIdx.x * TILE + t;
    a[0][t] = in[i];
    c.sync();
    for (int step = 0; step < STEPS; step++) {
        float *now = a[step % 2], left, right;
        if (t) left = now[t - 1];
        else left = rank ? c.map_shared_rank(now, rank - 1)[TILE - 1] : 0;
        if (t < TILE - 1) right = now[t + 1];
        else right = rank < 3 ? c.map_shared_rank(now, rank + 1)[0] : 0;
        a[1 - step % 2][t] = 0.25f * left + 0.5f * now[t] + 0.25f * right;
        c.sync();
    }
    out[i] = a[STEPS % 2][t];
}

int main() {
    const int n = 12, width = 5000;
    auto a = floats(n * width, -1, 1);
    float *sum = zeros<float>(n);
    rows<<<n * 8, 128>>>(device(a), width, sum);
    std::vector<double> want(n);
    for (int i = 0; i < n * width; i++) want[i / width] += a[i];
    near("rows", host(sum, n), want, 1e-4);

    const int cells = 4 * TILE, lines = 6;
    auto in = floats(lines * cells);
    float *out = zeros<float>(in.size());
    stencil<<<4 * lines, TILE>>>(device(in), out);
    std::vector<float> now = in, next = in;
    for (int s = 0; s < STEPS; s++, now.swap(next))
        for (int i = 0; i < lines * cells; i++) {
            float left = i % cells ? now[i - 1] : 0, right = i % cells < cells - 1 ? now[i + 1] : 0;
            next[i] = 0.25f * left + 0.5f * now[i] + 0.25f * right;
        }
    near("stencil", host(out, in.size()), now, 1e-6);
    return verdict();
}
