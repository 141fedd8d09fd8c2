// lab: sync-cost
// expect: fail counter
// expect: says launches is 10
// There is no barrier: every round is a launch of one graph.
__device__ int buf[2][1 << 21];
__global__ void first(const int *in, int n, int padded) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < padded) buf[0][i] = i < n ? in[i] : 0;
}
__global__ void round_(int d, int from, int padded) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= padded) return;
    int mine = buf[from][i], other = buf[from][i ^ d];
    buf[1 - from][i] = i & d ? other - mine : mine + other;
}
__global__ void last(int *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = buf[0][i];
}
void sync_cost(const int *in, int *out, int n) {
    int blocks = (n + 255) / 256, padded = blocks * 256;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    first<<<blocks, 256, 0, s>>>(in, n, padded);
    for (int d = 1, f = 0; d < 256; d *= 2, f ^= 1) round_<<<blocks, 256, 0, s>>>(d, f, padded);
    last<<<blocks, 256, 0, s>>>(out, n);
    cudaGraph_t g;
    cudaStreamEndCapture(s, &g);
    cudaGraphExec_t e;
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}
