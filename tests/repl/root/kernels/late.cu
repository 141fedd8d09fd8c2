// A kernel with a bug that a sheet asks for: the last block writes past the end.
__global__ void late(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i < n ? i : 0];
    out[i] = 2 * v;
}

void twice(const float *in, float *out, int n) {
    late<<<(n + 127) / 128, 128>>>(in, out, n);
}
