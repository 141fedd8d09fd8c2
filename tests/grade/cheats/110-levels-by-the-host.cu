// lab: transfers
// expect: fail counter
// expect: says Compute the levels and the samples in kernels
// The host computes the means and the levels; the kernel only subtracts them.
#include <cstring>
__global__ void subtract(float *x, const float *level, int cols) {
    int r = blockIdx.x;
    float l = level[r];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) x[(size_t)r * cols + c] = fmaf(-1.0f, l, x[(size_t)r * cols + c]);
}
float *staging(size_t bytes) {
    static float *memory;
    static size_t room;
    if (bytes > room) { cudaFreeHost(memory); cudaMallocHost(&memory, bytes); room = bytes; }
    return memory;
}
void transfers(const float *log, const int *order, float *out, int rows, int cols) {
    size_t row = cols * sizeof(float);
    float *x, *packed = staging(rows * row + rows * sizeof(float)), now = 0;
    for (int r = 0; r < rows; r++) {
        const float *from = log + (size_t)order[r] * cols;
        memcpy(packed + (size_t)r * cols, from, row);
        double s = 0;
        for (int c = 0; c < cols; c++) s += from[c];
        packed[(size_t)rows * cols + r] = now = 0.75f * now + 0.25f * (float)(s / cols);
    }
    cudaMalloc(&x, rows * row + rows * sizeof(float));
    cudaMemcpy(x, packed, rows * row + rows * sizeof(float), cudaMemcpyHostToDevice);
    subtract<<<rows, 256>>>(x, x + (size_t)rows * cols, cols);
    cudaMemcpy(out, x, rows * row, cudaMemcpyDeviceToHost);
    cudaFree(x);
}
