// lab: concurrent
// expect: fail counter
// ONE launch computes all pendulums; three launches of one thread each compute one cell of one pendulum beside it, so four kernels "run at once" and each leads to an output; one graph launch.
__global__ void step(float *x, int first, int cells, int steps, int rounds) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int s = 0; s < steps; s++)
        for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int all = jobs * cells;
    cudaStream_t first, more[3];
    cudaEvent_t fork, join;
    cudaStreamCreate(&first);
    for (cudaStream_t &s : more) cudaStreamCreate(&s);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, first);
    if (all > 3) step<<<(all - 3 + 127) / 128, 128, 0, first>>>(x, 3, all, steps, rounds);
    for (int k = 0; k < 3 && k < all; k++) {
        cudaStreamWaitEvent(more[k], fork);
        step<<<1, 1, 0, more[k]>>>(x, k, k + 1, steps, rounds);
        cudaEventRecord(join, more[k]);
        cudaStreamWaitEvent(first, join);
    }
    cudaGraph_t graph;
    cudaStreamEndCapture(first, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, first);
    cudaStreamSynchronize(first);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(first);
    for (cudaStream_t &s : more) cudaStreamDestroy(s);
}
