// lab: partition
// options: --secret 12
// expect: fail correct
// A row is a block of the y dimension, of which a grid has at most 65,535. The lab promises a
// million rows.
#include <cstdlib>

__global__ void rows_of(const float *in, const float *weight, float *out, int rows, int len, int rounds) {
    extern __shared__ float row[];
    int c = threadIdx.x;
    for (int r = blockIdx.y; r < rows; r += rows) {
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
    rows_of<<<dim3(1, rows), (len + 31) / 32 * 32, len * 4>>>(in, weight, out, rows, len, rounds);
}
