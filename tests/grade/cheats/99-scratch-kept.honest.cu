// lab: errors
// expect: pass
// Scratch that is kept and grown, used in another order each call
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    static float *scratch[2];
    static int room, turn;
    if (n > room) {
        for (float *&s : scratch) {
            cudaFree(s);
            cudaMalloc(&s, n * sizeof(float));
        }
        room = n;
    }
    float *mine = scratch[turn ^= 1];
    square<<<(n + 255) / 256, 256>>>(in, mine, n);
    cudaMemcpyAsync(out, mine, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
