// lab: churn
// expect: fail correct
// expect: finding race
// Kernels launched programmatically, and one between them that does not wait: the one behind it waits for that kernel only, and may begin too early.
const int BLOCK = 256;
__device__ int rounds;
__global__ void smooth(const float *from, float *to, int n) {
    cudaGridDependencySynchronize();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}
__global__ void copy(const float *from, float *to, int n) {
    cudaGridDependencySynchronize();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void count(int round) {
    if (threadIdx.x == 0 && round == -1) rounds = round;
}
template <typename... P, typename... A> static void early(void (*k)(P...), int blocks, A... a) {
    cudaLaunchAttribute at[1];
    cudaLaunchConfig_t c = {};
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = dim3(blocks), c.blockDim = dim3(BLOCK), c.attrs = at, c.numAttrs = 1;
    cudaLaunchKernelEx(&c, k, a...);
}
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    float *scratch;
    cudaMalloc(&scratch, n * sizeof(float));
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        early(copy, blocks, (const float *)out, scratch, n);
        early(count, 1, s);
        early(smooth, blocks, (const float *)scratch, out, n);
    }
    cudaFree(scratch);
}
