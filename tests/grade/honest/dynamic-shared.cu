// errors: more dynamic shared memory than the default allows, asked for by an attribute
__global__ void square(const float *in, float *out, int n) {
    extern __shared__ float stage[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, far = 24 * 1024 - 1 - threadIdx.x;
    if (i < n) stage[far] = in[i];
    __syncthreads();
    if (i < n) out[i] = stage[far] * stage[far];
}

void errors(const float *in, float *out, int n) {
    size_t bytes = 96 * 1024;
    cudaFuncSetAttribute(square, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    square<<<(n + 255) / 256, 256, bytes>>>(in, out, n);
}
