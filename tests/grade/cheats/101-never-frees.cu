// lab: churn
// expect: fail counter
// expect: says kept_bytes is
// The scratch array is allocated once and never freed.
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
    float *scratch;
    cudaMalloc(&scratch, n * sizeof(float));
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        copy<<<blocks, BLOCK>>>(out, scratch, n);
        smooth<<<blocks, BLOCK>>>(scratch, out, n);
    }
    ;
}
