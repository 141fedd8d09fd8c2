// kind: slow
// expect: fail counter kernels_at_once_avg
// expect: met correct
// expect: met counter launch_calls
// One graph, but one chain: captured from a single stream, nothing in it may run side by side.
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}

void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int blocks = (cells + 127) / 128;
    cudaStream_t first;
    cudaStreamCreate(&first);

    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    for (int j = 0; j < jobs; j++)
        for (int s = 0; s < steps; s++)
            step<<<blocks, 128, 0, first>>>(x + (size_t)j * cells, cells, rounds);
    cudaGraph_t graph;
    cudaStreamEndCapture(first, &graph);

    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, first);
    cudaStreamSynchronize(first);

    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(first);
}
