// ilp: correct alone: four nodes of a graph side by side, which together keep the integer units busy
const int BLOCK = 128;
const unsigned PRIME = 16777619u;
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        unsigned h = key[i];
        for (int k = 0; k < rounds; k++) h = (h ^ k) * PRIME;
        hash[i] = h;
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const int S = 4;
    cudaStream_t s[S];
    for (int i = 0; i < S; i++) cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    int q = (n + S - 1) / S;
    cudaEvent_t e[S + 1];
    for (auto &x : e) cudaEventCreateWithFlags(&x, cudaEventDisableTiming);
    cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
    cudaEventRecord(e[S], s[0]);
    for (int i = 1; i < S; i++) cudaStreamWaitEvent(s[i], e[S], 0);
    for (int i = 0; i < S; i++) {
        int at = i * q, m = n - at < q ? n - at : q;
        if (m > 0) stretch<<<processors, BLOCK, 0, s[i]>>>(key + at, hash + at, rounds, m);
    }
    for (int i = 1; i < S; i++) cudaEventRecord(e[i], s[i]), cudaStreamWaitEvent(s[0], e[i], 0);
    cudaGraph_t g; cudaGraphExec_t x;
    cudaStreamEndCapture(s[0], &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s[0]);
    cudaStreamSynchronize(s[0]);
    cudaGraphExecDestroy(x); cudaGraphDestroy(g);
    for (auto &y : e) cudaEventDestroy(y);
    for (int i = 0; i < S; i++) cudaStreamDestroy(s[i]);
}
