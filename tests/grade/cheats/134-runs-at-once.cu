// lab: timing
// expect: fail counter
// expect: says full_launches is 2
// The five runs are parallel nodes of one graph, and their span is reported as the mean of one.
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}
void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    int blocks = (walkers + 127) / 128, *spare;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaMalloc(&spare, 5 * sizeof(int) * walkers);
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    for (int k = 0; k < 5; k++) {
        int *to = k ? spare + k * walkers : out;
        void *args[] = {&next, &to, &n, &walkers, &hops};
        cudaKernelNodeParams p = {};
        p.func = (void *)walk;
        p.gridDim = dim3(blocks);
        p.blockDim = dim3(128);
        p.kernelParams = args;
        cudaGraphNode_t node;
        cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
    }
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphUpload(e, 0);
    cudaStreamSynchronize(0);
    cudaEventRecord(begin);
    cudaGraphLaunch(e, 0);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    cudaFree(spare);
    double us = 1e3 * ms - 1.9;
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
