// lab: churn
// options: --secret 77
// expect: fail correct
// A static array that is larger than any size of the timed and of the drawn cases.
__device__ float scratch[81920];
__global__ void smooth(float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = (scratch[i > 0 ? i - 1 : 0] + scratch[i] + scratch[i < n - 1 ? i + 1 : i]) / 3.0f;
}
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) (to ? to : scratch)[i] = from[i];
}
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + 255) / 256;
    copy<<<blocks, 256>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        copy<<<blocks, 256>>>(out, nullptr, n);
        smooth<<<blocks, 256>>>(out, n);
    }
}
