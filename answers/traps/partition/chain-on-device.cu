// kind: slow
// expect: fail speedup
// expect: met correct
// expect: met counter global_store_sectors
// The rounds are in one kernel, but the chain still runs on one thread of the device.
#include <cstdlib>

__global__ void chain(const float *gain, float *weight, int rows) {
    float now = 0;
    for (int r = 0; r < rows; r++) weight[r] = now = 0.998f * now + 0.002f * gain[r];
}

__global__ void rows_of(const float *in, const float *weight, float *out, int len, int rounds) {
    extern __shared__ float row[];
    int c = threadIdx.x, at = blockIdx.x * len + c;
    float v = c < len ? in[at] : 0;
    for (int r = 0; r < rounds; r++) {
        if (c < len) row[c] = v;
        __syncthreads();
        if (c < len)
            v = 0.25f * row[c > 0 ? c - 1 : c] + 0.5f * v + 0.25f * row[c < len - 1 ? c + 1 : c];
        __syncthreads();
    }
    if (c < len) out[at] = weight[blockIdx.x] * v;
}

void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len,
               int rounds) {
    float *g;
    cudaMalloc(&g, rows * sizeof(float));
    cudaMemcpy(g, gain, rows * sizeof(float), cudaMemcpyHostToDevice);
    chain<<<1, 1>>>(g, weight, rows);

    int threads = (len + 31) / 32 * 32;
    rows_of<<<rows, threads, len * sizeof(float)>>>(in, weight, out, len, rounds);
    cudaFree(g);
}
