// The baseline of errors: the squares, with a valid launch.
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) { square<<<(n + 255) / 256, 256>>>(in, out, n); }
