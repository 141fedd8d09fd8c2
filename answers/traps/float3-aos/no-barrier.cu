// kind: unsafe
// expect: fail
// expect: finding race
// Works on points that other warps have not brought yet.
const int BLOCK = 256;

__global__ void add(const float *in, float *out, float d, int n) {
    __shared__ float s[3 * BLOCK];
    int first = blockIdx.x * (3 * BLOCK), count = min(3 * BLOCK, 3 * n - first); // floats of this block
    for (int k = threadIdx.x; k < count; k += BLOCK) s[k] = in[first + k];
    if (3 * (int)threadIdx.x < count) { // a stride of 3 words: odd, so no two lanes meet in a bank
        float *p = &s[3 * threadIdx.x];
        p[0] += d, p[1] += d, p[2] += d;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += BLOCK) out[first + k] = s[k];
}

void shift(const float *in, float *out, float d, int n) {
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, d, n);
}
