// configuration: correct alone: sixteen kernels at once that read the whole table and write slices of their own, each with more blocks than its slice needs
static void parallel(cudaGraph_t g, void *f, dim3 grid, dim3 block, void **args, int shared = 0) {
    cudaGraphNode_t x;
    cudaKernelNodeParams q = {};
    q.func = f;
    q.gridDim = grid;
    q.blockDim = block;
    q.kernelParams = args;
    q.sharedMemBytes = shared;
    cudaGraphAddKernelNode(&x, g, nullptr, 0, &q);
}
static void run(cudaGraph_t g) {
    cudaGraphExec_t e;
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}

__global__ void walk(const int *next, int *out, int steps, int from, int n) {
    for (int i = from + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++)
            at = next[at];
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) {
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    int each = (n + 15) / 16;
    for (int at = 0; at < n; at += each) {
        int end = n - at < each ? n : at + each;
        void *a[] = {&next, &out, &steps, &at, &end};
        parallel(g, (void *)walk, 264, 128, a);
    }
    run(g);
}
