// lab: bank-lab
// expect: fail counter
// expect: says shared_load_passes is
// The rows are copied into constant memory, which has no banks: each lane reads its own row there, one lane after another.
const int ROWS = 32, THREADS = 128, ROOM = 16384;
__constant__ float in[ROOM];
__global__ void smooth(float *y, float a, int rows, int width) {
    __shared__ float tile[ROWS][ROWS + 1];
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first), me = threadIdx.x;
    float now = 0;
    for (int from = 0; from < width; from += ROWS) {
        int n = min(ROWS, width - from);
        if (me < count)
            for (int k = 0; k < n; k++) tile[me][k] = now += a * (in[(first + me) * width + from + k] - now);
        __syncthreads();
        for (int i = me; i < ROWS * ROWS; i += THREADS) {
            int r = i / ROWS, k = i % ROWS;
            if (r < count && k < n) y[(first + r) * width + from + k] = tile[r][k];
        }
        __syncthreads();
    }
}
void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    int most = ROOM / width / ROWS * ROWS;
    for (int r = 0; r < rows; r += most) {
        int n = rows - r < most ? rows - r : most;
        cudaMemcpyToSymbolAsync(in, x + (size_t)r * width, sizeof(float) * n * width, 0, cudaMemcpyDeviceToDevice);
        smooth<<<(n + ROWS - 1) / ROWS, THREADS>>>(y + (size_t)r * width, a, n, width);
    }
}
