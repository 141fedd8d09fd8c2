// lab: churn
// expect: fail counter
// Each step allocates and frees its scratch, by nodes of a graph.
__global__ void smooth(const float *from, float *to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
void churn(const float *in, float *out, int n, int steps) {
    int b = (n + 255) / 256;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    copy<<<b, 256, 0, s>>>(in, out, n);
    for (int k = 0; k < steps; k++) {
        float *t;
        cudaMallocAsync(&t, 4 * n, s);
        copy<<<b, 256, 0, s>>>(out, t, n);
        smooth<<<b, 256, 0, s>>>(t, out, n);
        cudaFreeAsync(t, s);
    }
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}
