// kind: cheat
// expect: fail correct
// Cheats: moves the points of the input and hands the input back, so that both look alike.
const int BLOCK = 256;

__global__ void add(const float *in, float *out, float d, int n) {
    __shared__ float s[3 * BLOCK];
    int first = blockIdx.x * (3 * BLOCK), count = min(3 * BLOCK, 3 * n - first); // floats of this block
    for (int k = threadIdx.x; k < count; k += BLOCK) s[k] = in[first + k];      // unit stride: whole sectors
    __syncthreads();
    if (3 * (int)threadIdx.x < count) { // a stride of 3 words: odd, so no two lanes meet in a bank
        float *p = &s[3 * threadIdx.x];
        p[0] += d, p[1] += d, p[2] += d;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += BLOCK) out[first + k] = s[k];
}

void shift(const float *in, float *out, float d, int n) {
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, (float *)in, d, n);
    cudaMemcpyAsync(out, in, sizeof(float) * 3 * n, cudaMemcpyDeviceToDevice);
}
