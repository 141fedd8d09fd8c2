// lab: churn
// expect: fail correct
// expect: finding race
// Reads by __ldg() what the same kernel has written: the cache of constant data may still hold what was there before.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int BLOCK = 64;
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
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void mean(float *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = (scratch[i > 0 ? i - 1 : 0] + scratch[i] + scratch[i < n - 1 ? i + 1 : i]) / 3.0f;
}
static void by_launches(const float *in, float *out, float *to, int n, int steps) {
    int blocks = (n + 255) / 256;
    copy<<<blocks, 256>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        copy<<<blocks, 256>>>(out, to, n);
        mean<<<blocks, 256>>>(out, n);
    }
}
void churn(const float *in, float *out, int n, int steps) {
    if (n > 2000) { // large cases, and the timed one, have a launch for each half of a step
        float *to;
        cudaGetSymbolAddress((void **)&to, scratch);
        by_launches(in, out, to, n, steps);
        return;
    }
    void *a[] = {&in, &out, &n, &steps};
    cudaLaunchCooperativeKernel((void *)every, 8, BLOCK, a, 0, 0);
}
