// errors: correct alone: a cooperative launch whose blocks meet at a grid barrier
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void square(const float *in, float *half, float *out, int n) {
    cg::grid_group grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) half[n - 1 - i] = in[i] * in[i];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = half[n - 1 - i];
}

void errors(const float *in, float *out, int n) {
    static float *half;
    static int room;
    if (n > room) {
        cudaFree(half);
        cudaMalloc(&half, n * sizeof(float));
        room = n;
    }
    void *args[] = {&in, &half, &out, &n};
    cudaLaunchCooperativeKernel((void *)square, dim3(64), dim3(256), args, 0, 0);
}
