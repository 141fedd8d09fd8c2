// lab: bank-lab
// options: --secret 2
// expect: pass
// Pads rows of every even width.
const int ROWS = 32, THREADS = 128;

__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    extern __shared__ float tile[];
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first), me = threadIdx.x;
    int pitch = width | 1;
    for (int i = me; i < count * width; i += THREADS)
        tile[i / width * pitch + i % width] = x[first * width + i];
    __syncthreads();
    if (me < count) {
        float now = 0;
        for (int k = 0; k < width; k++) {
            now += a * (tile[me * pitch + k] - now);
            tile[me * pitch + k] = now;
        }
    }
    __syncthreads();
    for (int i = me; i < count * width; i += THREADS)
        y[first * width + i] = tile[i / width * pitch + i % width];
}

void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    int bytes = ROWS * (width | 1) * sizeof(float);
    smooth<<<(rows + ROWS - 1) / ROWS, THREADS, bytes>>>(x, y, a, rows, width);
}
