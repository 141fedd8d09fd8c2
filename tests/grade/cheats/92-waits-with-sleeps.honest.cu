// lab: constants
// options: --seed 1
// expect: pass
// A thread waits for the others of its block, asleep between two looks. What it sleeps is no time of
// the block, whose others compute meanwhile.
const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    __shared__ unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 32) atomicAdd(&ready, 1u);
    if (threadIdx.x == 0)
        while (atomicAdd(&ready, 0u) == 0) __nanosleep(20);
    if (i >= n) return;
    float v = in[i] / 32768.0f;
    for (int k = 0; k < steps; k++) v = v * 0.98f + 0.01f;
    out[i] = sinf(v * 3.141592653589793f);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
