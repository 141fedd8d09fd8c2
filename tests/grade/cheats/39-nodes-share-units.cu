// lab: constants
// options: --seed 1
// expect: fail speedup
// The doubles of the baseline, in 32 nodes of a graph that run side by side: a unit is no faster for 32 grids.
const int BLOCK = 256;
__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i] / 32768.0;
    for (int k = 0; k < steps; k++) v = v * 0.98 + 0.01;
    out[i] = sin(v * 3.141592653589793);
}
void constants(const short *in, float *out, int steps, int n) {
    const int S = 32;
    int each = (n + S - 1) / S;
    cudaGraph_t g; cudaGraphCreate(&g, 0);
    for (int k = 0; k < S; k++) {
        int at = k * each, m = n - at < each ? n - at : each;
        if (m <= 0) break;
        const short *a = in + at; float *o = out + at;
        void *args[] = {&a, &o, &steps, &m};
        cudaKernelNodeParams p = {};
        p.func = (void *)damp; p.gridDim = dim3((m + BLOCK - 1) / BLOCK); p.blockDim = dim3(BLOCK); p.kernelParams = args;
        cudaGraphNode_t node; cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
    }
    cudaGraphExec_t e; cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0); cudaStreamSynchronize(0);
    cudaGraphExecDestroy(e); cudaGraphDestroy(g);
}
