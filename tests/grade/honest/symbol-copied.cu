// errors: a constant that the host sets before each launch
__constant__ float scale;

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scale * in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    float factor = 1;
    cudaMemcpyToSymbol(scale, &factor, sizeof factor);
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
