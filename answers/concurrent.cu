// concurrent, solved: eight streams share the pendulums; one graph holds all launches.
// zh: concurrent 的参考答案：各组单摆分到八个流里，捕获成一个图，用一次调用启动。
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}

const int STREAMS = 8;

void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int blocks = (cells + 127) / 128;
    cudaStream_t first, more[STREAMS];
    cudaEvent_t fork, join;
    cudaStreamCreate(&first);
    for (cudaStream_t &s : more) cudaStreamCreate(&s);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);

    // Nothing runs until cudaGraphLaunch: the launches are only recorded.
    // zh: 在 cudaGraphLaunch 之前什么也不运行，启动只是被记录下来。
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, first);
    for (int k = 0; k < STREAMS && k < jobs; k++) {
        cudaStreamWaitEvent(more[k], fork);
        for (int j = k; j < jobs; j += STREAMS)
            for (int s = 0; s < steps; s++)
                step<<<blocks, 128, 0, more[k]>>>(x + (size_t)j * cells, cells, rounds);
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
