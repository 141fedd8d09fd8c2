// lab: concurrent
// expect: fail counter
// expect: says kernels_at_once_avg is 1
// Seven of twelve steps run one after another, and only the last five beside each other.
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int blocks = (cells + 127) / 128, part = steps * 6 / 12;
    const int S = 8;
    cudaStream_t first, more[S];
    cudaEvent_t fork, join;
    cudaStreamCreate(&first);
    for (auto &s : more) cudaStreamCreate(&s);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    for (int j = 0; j < jobs; j++)
        for (int s = 0; s < part; s++)
            step<<<blocks, 128, 0, first>>>(x + (size_t)j * cells, cells, rounds);
    cudaEventRecord(fork, first);
    for (int k = 0; k < S && k < jobs; k++) {
        cudaStreamWaitEvent(more[k], fork);
        for (int j = k; j < jobs; j += S)
            for (int s = part; s < steps; s++)
                step<<<blocks, 128, 0, more[k]>>>(x + (size_t)j * cells, cells, rounds);
        cudaEventRecord(join, more[k]);
        cudaStreamWaitEvent(first, join);
    }
    cudaGraph_t g;
    cudaStreamEndCapture(first, &g);
    cudaGraphExec_t e;
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, first);
    cudaStreamSynchronize(first);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(first);
    for (auto s : more) cudaStreamDestroy(s);
}
