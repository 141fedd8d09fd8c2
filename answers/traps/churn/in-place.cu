// kind: unsafe
// expect: fail
// expect: finding race
// No scratch array at all: threads read what their neighbours are writing.
const int BLOCK = 256;

__global__ void smooth(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}

__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        smooth<<<blocks, BLOCK>>>(out, out, n);
    }
}
