// lab: partition
// expect: fail correct
// The weights of an earlier call are kept if the first and the last gain are the same.
#include <vector>
__global__ void rows_of(const float *in, const float *weight, float *out, int len, int rounds) {
    extern __shared__ float row[];
    int c = threadIdx.x, at = blockIdx.x * len + c;
    float v = c < len ? in[at] : 0;
    for (int r = 0; r < rounds; r++) {
        if (c < len) row[c] = v;
        __syncthreads();
        if (c < len) v = 0.25f * row[c > 0 ? c - 1 : c] + 0.5f * v + 0.25f * row[c < len - 1 ? c + 1 : c];
        __syncthreads();
    }
    if (c < len) out[at] = weight[blockIdx.x] * v;
}
void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len, int rounds) {
    static std::vector<float> w;
    static float first, last;
    if ((int)w.size() != rows || first != gain[0] || last != gain[rows - 1]) {
        w.resize(rows);
        float now = 0;
        for (int r = 0; r < rows; r++) w[r] = now = 0.998f * now + 0.002f * gain[r];
        first = gain[0], last = gain[rows - 1];
    }
    cudaMemcpy(weight, w.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    rows_of<<<rows, (len + 31) / 32 * 32, len * sizeof(float)>>>(in, weight, out, len, rounds);
}
