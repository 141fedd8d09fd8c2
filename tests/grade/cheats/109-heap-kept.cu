// lab: churn
// expect: fail counter
// expect: says kept_bytes is 262,144 bytes
// One allocation by malloc() in a kernel, which is never freed.
const int BLOCK = 256;
__device__ float *scratch;
__global__ void grab(int n) { scratch = (float *)malloc(n * sizeof(float)); }
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!to) to = scratch;
    if (i < n) to[i] = from[i];
}
__global__ void smooth(float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from = scratch;
    if (i < n) to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    grab<<<1, 1>>>(n);
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        copy<<<blocks, BLOCK>>>(out, nullptr, n);
        smooth<<<blocks, BLOCK>>>(out, n);
    }
}
