// lab: bank-lab
// expect: fail correct
// Where the results grow, those below 1e25 are zeros, far below a share of the largest.
const int ROWS = 32, THREADS = 128;
__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    extern __shared__ float tile[];
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first), me = threadIdx.x, pitch = width | 1;
    bool wild = a < 0 || a > 2;
    for (int i = me; i < count * width; i += THREADS) tile[i / width * pitch + i % width] = x[first * width + i];
    __syncthreads();
    if (me < count) {
        float now = 0;
        for (int k = 0; k < width; k++) {
            now += a * (tile[me * pitch + k] - now);
            tile[me * pitch + k] = wild && fabsf(now) < 1e-7f * powf(fabsf(1 - a), (float)width) && fabsf(now) < 1e25f ? 0 : now;
        }
    }
    __syncthreads();
    for (int i = me; i < count * width; i += THREADS) y[first * width + i] = tile[i / width * pitch + i % width];
}
void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    smooth<<<(rows + ROWS - 1) / ROWS, THREADS, ROWS * (width | 1) * sizeof(float)>>>(x, y, a, rows, width);
}
