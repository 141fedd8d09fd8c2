// A barrier over the whole grid.
// std: c++17
// expect: 64 blocks ok
// expect: cudaErrorCooperativeLaunchTooLarge
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void rounds(int *p, int n) {
    cg::grid_group g = cg::this_grid();
    int me = blockIdx.x, left = (me + 1) % gridDim.x;
    for (int r = 0; r < n; r++) {
        int v = p[left];
        g.sync();
        if (!threadIdx.x) p[me] = v + 1;
        g.sync();
    }
}
int main() {
    int *d, h[64], bad = 0, n = 5;
    for (int i = 0; i < 64; i++) h[i] = i;
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    void *args[] = {&d, &n};
    CK(cudaLaunchCooperativeKernel((void *)rounds, 64, 64, args, 0, 0));
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) bad += h[i] != (i + 5) % 64 + 5;
    printf("64 blocks %s\n", bad ? "wrong" : "ok");
    NAME(cudaLaunchCooperativeKernel((void *)rounds, 1 << 20, 1024, args, 0, 0));
}
