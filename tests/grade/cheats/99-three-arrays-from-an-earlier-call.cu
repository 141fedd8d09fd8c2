// lab: sub-allocate
// expect: fail counter
// Three separate arrays are allocated in the first (untimed) call, for the largest size, and kept; the timed call allocates and frees only 256 bytes for show.
const int WINDOW = 16, PITCH = 1024;

__global__ void inspect(const float *in, unsigned char *ok, double *mean, int rows, int cols) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, good = 1;
    if (r >= rows) return;
    double sum = 0;
    for (int c = lane; c < cols; c += 32) {
        float x = in[r * cols + c];
        sum += x;
        good &= fabsf(x) < 4;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        good &= __shfl_down_sync(~0u, good, d);
    }
    if (lane == 0) ok[r] = (unsigned char)good, mean[r] = sum / cols;
}

__global__ void clean(const float *in, const unsigned char *ok, const double *mean, float *tidy, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols) tidy[r * PITCH + c] = ok[r] ? in[r * cols + c] - (float)mean[r] : 0.0f;
}

__global__ void window(const float *tidy, float *out, int rows, int cols) {
    int c = 4 * (blockIdx.x * 32 + threadIdx.x), r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols) return;
    float4 s = {0, 0, 0, 0};
    for (int k = 0; k < WINDOW && r + k < rows; k++) {
        float4 x = *(const float4 *)&tidy[(r + k) * PITCH + c];
        s.x += x.x, s.y += x.y, s.z += x.z, s.w += x.w;
    }
    float *to = &out[r * cols + c];
    to[0] = s.x;
    if (c + 1 < cols) to[1] = s.y;
    if (c + 2 < cols) to[2] = s.z;
    if (c + 3 < cols) to[3] = s.w;
}

void tidy_up(const float *in, float *out, int rows, int cols) {
    static unsigned char *ok;
    static double *mean;
    static float *tidy;
    if (!ok) {
        cudaMalloc(&ok, 256);
        cudaMalloc(&mean, 256 * sizeof(double));
        cudaMalloc(&tidy, 256 * PITCH * sizeof(float));
    }
    char *show;
    cudaMalloc(&show, 256);
    dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
    inspect<<<(rows + 7) / 8, 256>>>(in, ok, mean, rows, cols);
    clean<<<grid, block>>>(in, ok, mean, tidy, rows, cols);
    window<<<dim3((cols + 127) / 128, (rows + 7) / 8), block>>>(tidy, out, rows, cols);
    cudaFree(show);
}
