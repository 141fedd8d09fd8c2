// lab: gemv
// expect: fail speedup
// A warp for each row, but the eight warps of a block read their rows one after another.
__global__ void product(const float *a, const float *x, float *y, int rows, int cols) {
    __shared__ volatile int turn;
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * 8 + w;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    while (turn < w) {
    }
    __threadfence_block();
    __syncwarp();
    float sum = 0;
    if (r < rows)
        for (int k = lane; k < cols; k += 32) sum += a[(size_t)r * cols + k] * x[k];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
    if (lane == 0) {
        if (r < rows) y[r] = sum;
        __threadfence_block();
        turn = w + 1;
    }
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    product<<<(rows + 7) / 8, 256>>>(a, x, y, rows, cols);
}
