// lab: transfers
// expect: fail correct
// expect: finding race
// The host looks at page-locked memory at once after the asynchronous copy to there, which a GPU would still be making.
#include <cstdlib>
#include <cstring>

__global__ void row_means(const float *x, float *mean, int rows, int cols) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += x[(size_t)r * cols + c];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) mean[r] = s / cols;
}

__global__ void subtract(float *x, const float *level, int cols) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) x[(size_t)r * cols + c] -= level[r];
}

// One thread computes all levels. This is slow, but the means stay on the device.
__global__ void levels(float *mean, int rows) {
    float now = 0;
    for (int r = 0; r < rows; r++) mean[r] = now = 0.75f * now + 0.25f * mean[r];
}

// Page-locked memory is slow to allocate, so it is kept from one call to the next.
float *staging(size_t bytes) {
    static float *memory;
    static size_t room;
    if (bytes > room) {
        cudaFreeHost(memory);
        cudaMallocHost(&memory, bytes);
        room = bytes;
    }
    return memory;
}

void transfers(const float *log, const int *order, float *out, int rows, int cols) {
    size_t row = cols * sizeof(float);
    float *x, *mean, *packed = staging(rows * row);
    for (int r = 0; r < rows; r++)
        memcpy(packed + (size_t)r * cols, log + (size_t)order[r] * cols, row);

    cudaMalloc(&x, rows * row);
    cudaMalloc(&mean, rows * sizeof(float));
    cudaMemcpyAsync(x, packed, rows * row, cudaMemcpyHostToDevice);
    row_means<<<(rows + 7) / 8, 256>>>(x, mean, rows, cols);
    levels<<<1, 1>>>(mean, rows);
    subtract<<<rows, 256>>>(x, mean, cols);
    cudaMemcpyAsync(packed, x, rows * row, cudaMemcpyDeviceToHost);
    memcpy(out, packed, rows * row);
    cudaFree(x);
    cudaFree(mean);
}
