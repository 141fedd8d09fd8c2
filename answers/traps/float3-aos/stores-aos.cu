// kind: slow
// expect: fail counter global_store_sectors
// expect: met correct
// Half the technique: staged on the way in, three strided stores on the way out.
const int BLOCK = 256;

__global__ void add(const float *in, float *out, float d, int n) {
    __shared__ float s[3 * BLOCK];
    int first = blockIdx.x * (3 * BLOCK), count = min(3 * BLOCK, 3 * n - first); // floats of this block
    for (int k = threadIdx.x; k < count; k += BLOCK) s[k] = in[first + k];      // unit stride: whole sectors
    __syncthreads();
    if (3 * (int)threadIdx.x < count) { // a stride of 3 words: odd, so no two lanes meet in a bank
        float *p = &s[3 * threadIdx.x];
        float *q = &out[first + 3 * threadIdx.x];
        q[0] = p[0] + d, q[1] = p[1] + d, q[2] = p[2] + d;
    }
}

void shift(const float *in, float *out, float d, int n) {
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, d, n);
}
