// errors: a table in constant memory, and a symbol whose address the kernel is given
__constant__ float one[4] = {1, 1, 1, 1};
__device__ float zero[4];

__global__ void square(const float *in, float *out, int n, const float *bias) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i] * one[threadIdx.x % 4] + bias[threadIdx.x % 4];
}

void errors(const float *in, float *out, int n) {
    float *bias;
    cudaGetSymbolAddress((void **)&bias, zero);
    square<<<(n + 255) / 256, 256>>>(in, out, n, bias);
}
