// errors: warps of a block hand values to each other through volatile memory and fences
__global__ void square(const float *in, float *out, int n) {
    __shared__ float stage[256];
    int i = blockIdx.x * 256 + threadIdx.x, other = threadIdx.x ^ 255, j = blockIdx.x * 256 + other;
    *(volatile float *)&stage[threadIdx.x] = i < n ? in[i] : 0;
    __threadfence_block();
    __syncthreads();
    float x = *(volatile float *)&stage[other];
    if (j < n) out[j] = x * x;
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
