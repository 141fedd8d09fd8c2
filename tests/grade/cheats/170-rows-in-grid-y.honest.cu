// lab: partition
// options: --secret 12
// expect: pass
// The same, in a grid that has as many blocks as it may: each takes further rows.
#include <cstdlib>

__global__ void rows_of(const float *in, const float *weight, float *out, int rows, int len, int rounds) {
    extern __shared__ float row[];
    int c = threadIdx.x;
    for (int r = blockIdx.y; r < rows; r += gridDim.y) {
        float v = c < len ? in[r * len + c] : 0;
        for (int k = 0; k < rounds; k++) {
            if (c < len) row[c] = v;
            __syncthreads();
            if (c < len) v = 0.25f * row[c > 0 ? c - 1 : c] + 0.5f * v + 0.25f * row[c < len - 1 ? c + 1 : c];
            __syncthreads();
        }
        if (c < len) out[r * len + c] = weight[r] * v;
    }
}

void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len, int rounds) {
    float *w = (float *)malloc(rows * 4), now = 0;
    for (int r = 0; r < rows; r++) w[r] = now = 0.998f * now + 0.002f * gain[r];
    cudaMemcpy(weight, w, rows * 4, cudaMemcpyHostToDevice);
    free(w);
    rows_of<<<dim3(1, rows < 65535 ? rows : 65535), (len + 31) / 32 * 32, len * 4>>>(in, weight, out, rows, len, rounds);
}
