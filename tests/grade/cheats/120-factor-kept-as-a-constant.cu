// lab: bank-lab
// expect: fail correct
// The factor is copied to constant memory only when the shape is another.
const int ROWS = 32, THREADS = 128;
__constant__ float factor;
__global__ void smooth(const float *x, float *y, int rows, int width) {
    extern __shared__ float tile[];
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first), me = threadIdx.x, pitch = width | 1;
    float a = factor;
    for (int i = me; i < count * width; i += THREADS) tile[i / width * pitch + i % width] = x[first * width + i];
    __syncthreads();
    if (me < count) {
        float now = 0;
        for (int k = 0; k < width; k++) {
            now += a * (tile[me * pitch + k] - now);
            tile[me * pitch + k] = now;
        }
    }
    __syncthreads();
    for (int i = me; i < count * width; i += THREADS) y[first * width + i] = tile[i / width * pitch + i % width];
}
void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    static int r, w;
    if (r != rows || w != width) cudaMemcpyToSymbol(factor, &a, sizeof a);
    r = rows, w = width;
    smooth<<<(rows + ROWS - 1) / ROWS, THREADS, ROWS * (width | 1) * sizeof(float)>>>(x, y, rows, width);
}
