// kind: slow
// expect: fail counter launch_calls
// expect: met correct
// A stream for each pendulum, but every launch is still a call of the host.
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
    cudaStream_t stream[STREAMS];
    for (cudaStream_t &s : stream) cudaStreamCreate(&s);
    for (int s = 0; s < steps; s++)
        for (int j = 0; j < jobs; j++)
            step<<<blocks, 128, 0, stream[j % STREAMS]>>>(x + (size_t)j * cells, cells, rounds);
    for (cudaStream_t &s : stream) cudaStreamDestroy(s);
}
