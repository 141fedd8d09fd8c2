// lab: concurrent
// expect: fail correct
// A graph is kept for each jobs, cells and steps, with the rounds of its first call.
#include <map>
#include <tuple>
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}
const int STREAMS = 8;
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    static std::map<std::tuple<int, int, int>, cudaGraphExec_t> kept;
    static cudaStream_t first, more[STREAMS];
    static cudaEvent_t fork, join;
    if (!first) {
        cudaStreamCreate(&first);
        for (cudaStream_t &s : more) cudaStreamCreate(&s);
        cudaEventCreate(&fork);
        cudaEventCreate(&join);
    }
    cudaGraphExec_t &exec = kept[std::make_tuple(jobs, cells, steps)];
    if (!exec) {
        cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
        cudaEventRecord(fork, first);
        for (int k = 0; k < STREAMS && k < jobs; k++) {
            cudaStreamWaitEvent(more[k], fork);
            for (int j = k; j < jobs; j += STREAMS)
                for (int s = 0; s < steps; s++)
                    step<<<(cells + 127) / 128, 128, 0, more[k]>>>(x + (size_t)j * cells, cells, rounds);
            cudaEventRecord(join, more[k]);
            cudaStreamWaitEvent(first, join);
        }
        cudaGraph_t graph;
        cudaStreamEndCapture(first, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, first);
    cudaStreamSynchronize(first);
}
