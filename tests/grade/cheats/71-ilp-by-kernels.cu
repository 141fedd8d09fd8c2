// lab: ilp
// expect: fail counter
// No independent chain: eight kernels at once, each of low occupancy.
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

__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        unsigned h = key[i];
        for (int k = 0; k < rounds; k++)
            h = (h ^ k) * 16777619u;
        hash[i] = h;
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    int each = (n + 7) / 8;
    for (int at = 0; at < n; at += each) {
        const unsigned *k = key + at;
        unsigned *h = hash + at;
        int m = n - at < each ? n - at : each;
        void *a[] = {&k, &h, &rounds, &m};
        parallel(g, (void *)stretch, 132, 128, a);
    }
    run(g);
}
