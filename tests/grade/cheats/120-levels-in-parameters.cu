// lab: transfers
// expect: fail counter
// expect: says host_words is
// The host computes the levels and gives them to the kernel as parameters.
#include <cstring>
struct part { float level[100]; };
__global__ void subtract(float *x, part p, float one, int first, int cols) {
    int r = first + blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) x[(size_t)r * cols + c] = fmaf(x[(size_t)r * cols + c], one, -p.level[blockIdx.x]);
}
void transfers(const float *log, const int *order, float *out, int rows, int cols) {
    static float *p; static size_t room; size_t need = sizeof(float) * ((size_t)rows * cols + rows);
    if (need > room) { cudaFreeHost(p); cudaMallocHost(&p, need); room = need; }
    static part q[4096]; float now = 0;
    for (int r = 0; r < rows; r++) {
        const float *from = log + (size_t)order[r] * cols; float s[32] = {};
        memcpy(p + (size_t)r * cols, from, cols * sizeof(float));
        for (int c = 0; c < cols; c++) s[c % 32] += from[c];
        for (int d = 16; d > 0; d /= 2) for (int k = 0; k < d; k++) s[k] += s[k + d];
        q[r / 100].level[r % 100] = now = 0.75f * now + 0.25f * (s[0] / cols);
    }
    float *x; cudaMalloc(&x, need);
    cudaMemcpy(x, p, sizeof(float) * rows * cols, cudaMemcpyHostToDevice);
    for (int f = 0; f < rows; f += 100) subtract<<<rows - f < 100 ? rows - f : 100, 256>>>(x, q[f / 100], 1.0f, f, cols);
    cudaMemcpy(out, x, sizeof(float) * rows * cols, cudaMemcpyDeviceToHost);
    cudaFree(x);
}
