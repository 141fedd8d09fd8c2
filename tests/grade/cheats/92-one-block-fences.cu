// lab: constants
// options: --seed 1
// expect: fail speedup
// One block makes 400 fences of the system, each after a store.
__device__ volatile int note[256];
const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    if (blockIdx.x == gridDim.x / 3) { for (int k = 0; k < 400; k++) { note[threadIdx.x] = k; __threadfence_system(); } }
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i] / 32768.0f;
    for (int k = 0; k < steps; k++) v = v * 0.98f + 0.01f;
    out[i] = sinf(v * 3.141592653589793f);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
