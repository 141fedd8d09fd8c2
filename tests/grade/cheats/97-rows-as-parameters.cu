// lab: transfers
// expect: fail counter
// expect: says h2d_copies is
// expect: says pageable_bytes is
// The readings travel as parameters of launches, 32 KB each, and not as a copy.
struct box { float v[8000]; };
__global__ void put(const __grid_constant__ box b, float *x, int count) {
    int k = blockIdx.x * 256 + threadIdx.x;
    if (k < count) x[k] = b.v[k];
}
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
__global__ void levels(float *mean, int rows) {
    float now = 0;
    for (int r = 0; r < rows; r++) mean[r] = now = 0.75f * now + 0.25f * mean[r];
}
void transfers(const float *log, const int *order, float *out, int rows, int cols) {
    static box b;
    size_t row = cols * sizeof(float);
    float *x, *mean;
    cudaMalloc(&x, rows * row); cudaMalloc(&mean, rows * sizeof(float));
    int per = 8000 / cols;
    if (per < 1) per = 1;
    for (int r = 0; r < rows; r += per)
        for (int c0 = 0; c0 < cols; c0 += 8000) {
            int m = rows - r < per ? rows - r : per, w = cols - c0 < 8000 ? cols - c0 : 8000;
            for (int k = 0; k < m; k++) __builtin_memcpy(b.v + k * w, log + (size_t)order[r + k] * cols + c0, w * 4);
            put<<<(m * w + 255) / 256, 256>>>(b, x + (size_t)r * cols + c0, m * w);
        }
    row_means<<<(rows + 7) / 8, 256>>>(x, mean, rows, cols);
    levels<<<1, 1>>>(mean, rows);
    subtract<<<rows, 256>>>(x, mean, cols);
    cudaMemcpy(out, x, rows * row, cudaMemcpyDeviceToHost);
    cudaFree(x); cudaFree(mean);
}
