// lab: streams
// expect: fail correct
// expect: finding race
// A graph whose nodes no edge orders: all may run at once, and on this device happen to run in the order in which they were added.
#define EDGE(node) NULL, 0
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

const int CHUNKS = 8;

void streams(const float *in, float *x, float *out, int n, int rounds) {
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphCreate(&g, 0);
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        if (m <= 0) break;
        cudaGraphNode_t come, work, go;
        float *part = x + at;
        void *args[] = {&part, &m, &rounds};
        cudaKernelNodeParams k = {};
        k.func = (void *)filter, k.gridDim = dim3((m + 255) / 256), k.blockDim = dim3(256), k.kernelParams = args;
        cudaGraphAddMemcpyNode1D(&come, g, NULL, 0, part, in + at, sizeof(float) * m, cudaMemcpyHostToDevice);
        cudaGraphAddKernelNode(&work, g, EDGE(come), &k);
        cudaGraphAddMemcpyNode1D(&go, g, EDGE(work), out + at, part, sizeof(float) * m, cudaMemcpyDeviceToHost);
    }
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(g);
}
