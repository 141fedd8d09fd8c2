// lab: gemv
// expect: pass
// Four warps share a row. The lanes of each add up their parts, and one atomic adds this sum to the row's.
__global__ void product(const float *a, const float *x, float *y, int rows, int cols) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, r = warp / 4;
    if (r >= rows) return;
    const float *row = a + (size_t)r * cols;
    float sum = 0;
    for (int k = warp % 4 * 32 + lane; k < cols; k += 128) sum += row[k] * x[k];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    if (lane == 0) atomicAdd(&y[r], sum);
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    cudaMemsetAsync(y, 0, rows * sizeof(float));
    product<<<(rows + 1) / 2, 256>>>(a, x, y, rows, cols);
}
