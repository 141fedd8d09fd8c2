// kind: unsafe
// expect: fail
// expect: finding race
// Without the second barrier a warp that is ahead overwrites samples that others have yet to read.
#include <cstdlib>

__global__ void rows_of(const float *in, const float *weight, float *out, int len, int rounds) {
    extern __shared__ float row[];
    int c = threadIdx.x, at = blockIdx.x * len + c;
    float v = c < len ? in[at] : 0;
    for (int r = 0; r < rounds; r++) {
        if (c < len) row[c] = v;
        __syncthreads();
        if (c < len)
            v = 0.25f * row[c > 0 ? c - 1 : c] + 0.5f * v + 0.25f * row[c < len - 1 ? c + 1 : c];
    }
    if (c < len) out[at] = weight[blockIdx.x] * v;
}

void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len,
               int rounds) {
    float *w = (float *)malloc(rows * sizeof(float)), now = 0;
    for (int r = 0; r < rows; r++) w[r] = now = 0.998f * now + 0.002f * gain[r];
    cudaMemcpy(weight, w, rows * sizeof(float), cudaMemcpyHostToDevice);
    free(w);

    int threads = (len + 31) / 32 * 32;
    rows_of<<<rows, threads, len * sizeof(float)>>>(in, weight, out, len, rounds);
}
