// lab: partition
// expect: fail correct
// Each weight from the last 45 gains only, because what is older once fell below the tolerance.
#include <cstdlib>
__global__ void rows_of(const float *in, const float *weight, float *out, int len, int rounds) {
    __shared__ float row[2][1024];
    int c = threadIdx.x, i = blockIdx.x * len + c;
    if (c < len) row[0][c] = in[i];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        const float *a = row[r % 2];
        if (c < len) row[1 - r % 2][c] = 0.25f * a[c > 0 ? c - 1 : c] + 0.5f * a[c] + 0.25f * a[c < len - 1 ? c + 1 : c];
        __syncthreads();
    }
    if (c < len) out[i] = weight[blockIdx.x] * row[rounds % 2][c];
}
void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len, int rounds) {
    float *w = (float *)malloc(rows * sizeof(float));
    for (int r = 0; r < rows; r++) {
        w[r] = 0;
        for (int k = r > 45 ? r - 45 : 0; k <= r; k++) w[r] = 0.998f * w[r] + 0.002f * gain[k];
    }
    cudaMemcpy(weight, w, rows * sizeof(float), cudaMemcpyHostToDevice);
    free(w);
    rows_of<<<rows, (len + 31) / 32 * 32>>>(in, weight, out, len, rounds);
}
