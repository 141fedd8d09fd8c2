// lab: concurrent
// expect: fail speedup
// One pendulum after another, each cut into four kernels that run at once.
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= cells) return; float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f); x[i] = v;
}

void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    cudaStream_t f, m[8]; cudaEvent_t a, b; cudaStreamCreate(&f); for (auto &s : m) cudaStreamCreate(&s); cudaEventCreate(&a); cudaEventCreate(&b);
    cudaStreamBeginCapture(f, cudaStreamCaptureModeGlobal);
    for (int j = 0; j < jobs; j++) {
        cudaEventRecord(a, f);
        for (int k = 0; k < 8; k++) { int c0 = (long long)cells * k / 8, c1 = (long long)cells * (k + 1) / 8; if (c1 == c0) continue;
            cudaStreamWaitEvent(m[k], a); for (int s = 0; s < steps; s++) step<<<(c1 - c0 + 127) / 128, 128, 0, m[k]>>>(x + (size_t)j * cells + c0, c1 - c0, rounds);
            cudaEventRecord(b, m[k]); cudaStreamWaitEvent(f, b); }
    }
    cudaGraph_t g; cudaStreamEndCapture(f, &g); cudaGraphExec_t e; cudaGraphInstantiate(&e, g, 0); cudaGraphLaunch(e, f); cudaStreamSynchronize(f);
}
