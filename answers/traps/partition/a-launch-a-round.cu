// kind: slow
// expect: fail counter global_store_sectors
// expect: met correct
// The chain is on the host; the threads of a row still talk through global memory, a launch at a time.
#include <cstdlib>

__global__ void smooth(const float *from, float *to, int rows, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * len) return;
    int c = i % len;
    float left = from[c > 0 ? i - 1 : i], right = from[c < len - 1 ? i + 1 : i];
    to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
}

__global__ void scale(const float *from, const float *weight, float *to, int rows, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * len) to[i] = weight[i / len] * from[i];
}

void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len,
               int rounds) {
    int n = rows * len, blocks = (n + 255) / 256;
    float *even, *odd;
    cudaMalloc(&even, n * sizeof(float));
    cudaMalloc(&odd, n * sizeof(float));

    float *w = (float *)malloc(rows * sizeof(float)), now = 0;
    for (int r = 0; r < rows; r++) w[r] = now = 0.998f * now + 0.002f * gain[r];
    cudaMemcpy(weight, w, rows * sizeof(float), cudaMemcpyHostToDevice);
    free(w);

    const float *from = in;
    for (int r = 0; r < rounds; r++) {
        float *to = r % 2 ? odd : even;
        smooth<<<blocks, 256>>>(from, to, rows, len);
        from = to;
    }
    scale<<<blocks, 256>>>(from, weight, out, rows, len);
    cudaFree(even);
    cudaFree(odd);
}
