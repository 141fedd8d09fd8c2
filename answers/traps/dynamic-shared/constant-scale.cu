// kind: cheat
// expect: fail correct
// Cheats: the inputs are drawn evenly from -2 to 3, so mean and variance are nearly known. Nothing is kept, nothing is summed.
__global__ void normalise(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i] - 0.5f) * 0.69282f;
}

void layer_norm(const float *in, float *out, int rows, int cols) {
    normalise<<<(rows * cols + 255) / 256, 256>>>(in, out, rows * cols);
}
