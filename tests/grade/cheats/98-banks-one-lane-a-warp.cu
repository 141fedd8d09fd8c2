// lab: bank-lab
// expect: fail counter
// expect: says shared_load_passes is
// One lane of each warp walks, so that no two lanes meet in a bank; the rows of the tile are as before.
const int ROWS = 32, THREADS = 1024;
__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    extern __shared__ float tile[];
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first), me = threadIdx.x;
    for (int i = me; i < count * width; i += THREADS) tile[i] = x[first * width + i];
    __syncthreads();
    if (me % 32 == 0 && me / 32 < count) {
        float now = 0;
        for (int k = 0; k < width; k++) {
            now += a * (tile[me / 32 * width + k] - now);
            tile[me / 32 * width + k] = now;
        }
    }
    __syncthreads();
    for (int i = me; i < count * width; i += THREADS) y[first * width + i] = tile[i];
}
void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    smooth<<<(rows + ROWS - 1) / ROWS, THREADS, ROWS * width * sizeof(float)>>>(x, y, a, rows, width);
}
