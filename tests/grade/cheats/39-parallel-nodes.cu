// lab: reduce-open
// expect: fail tiers
// Nodes of a graph that are small enough to run side by side, far more than the device runs at once.
#include <cuda_runtime.h>
#include <vector>
__global__ void part(const int *in, int *total, int n) {
    int sum = 0, step = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    const int4 *four = (const int4 *)in;
#pragma unroll 4
    for (int i = me; i < n / 4; i += step) {
        int4 v = four[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (me < n % 4) sum += in[n / 4 * 4 + me];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
void reduce(const int *in, int *total, int n) {
    const int NODES = n > 1000000 ? 4096 : 1, BLOCKS = 1, THREADS = 256;
    int piece = n / NODES / 4 * 4;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t clear, node;
    cudaMemsetParams m = {};
    m.dst = total, m.elementSize = 4, m.width = 1, m.height = 1;
    cudaGraphCreate(&g, 0);
    cudaGraphAddMemsetNode(&clear, g, nullptr, 0, &m);
    for (int k = 0; k < NODES; k++) {
        const int *from = in + (size_t)k * piece;
        int count = k == NODES - 1 ? n - k * piece : piece;
        void *args[] = {&from, &total, &count};
        cudaKernelNodeParams p = {};
        p.func = (void *)part, p.gridDim = dim3(BLOCKS), p.blockDim = dim3(THREADS),
        p.kernelParams = args;
        cudaGraphAddKernelNode(&node, g, &clear, 1, &p);
    }
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}
