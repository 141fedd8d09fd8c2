__global__ void twice_each(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

void twice(const float *in, float *out, int n) {
    twice_each<<<(n + 127) / 128, 128>>>(in, out, n);
}
