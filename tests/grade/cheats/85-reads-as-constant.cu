// lab: churn
// expect: fail correct
// expect: finding race
// Reads by __ldg() what the same kernel has written: the cache of constant data may still hold what was there before.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int BLOCK = 256;
__device__ float scratch[80000];
__global__ void every(const float *in, float *out, int n, int steps) {
    auto g = cg::this_grid();
    int t = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    for (int i = t; i < n; i += step) out[i] = in[i];
    for (int s = 0; s < steps; s++) {
        g.sync();
        for (int i = t; i < n; i += step) scratch[i] = __ldg(&out[i]);
        g.sync();
        for (int i = t; i < n; i += step) out[i] = (__ldg(&scratch[i > 0 ? i - 1 : 0]) + __ldg(&scratch[i]) + __ldg(&scratch[i < n - 1 ? i + 1 : i])) / 3.0f;
    }
}
void churn(const float *in, float *out, int n, int steps) {
    void *a[] = {&in, &out, &n, &steps};
    cudaLaunchCooperativeKernel((void *)every, 132, BLOCK, a, 0, 0);
}
