// lab: constants
// options: --seed 1
// expect: fail speedup
// One block sleeps for 1 ms; the others execute the same instruction and sleep for no time.
const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    if (threadIdx.x == 0) __nanosleep(blockIdx.x == gridDim.x / 3 ? 1000000 : 0);
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i] / 32768.0f;
    for (int k = 0; k < steps; k++) v = v * 0.98f + 0.01f;
    out[i] = sinf(v * 3.141592653589793f);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
