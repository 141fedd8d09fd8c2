// sub-allocate: computes the rows of tidy from the rows of in, and then
// out[r][c] = tidy[r][c] + tidy[r + 1][c] + ..., 16 rows in all.
// zh: 先由 in 的各行算出 tidy 的各行，再求
// zh: out[r][c] = tidy[r][c] + tidy[r + 1][c] + …，共 16 行。
// A row is usable if all its samples are between -4 and 4. tidy is the sample
// minus the mean of its row, or 0 if the row is not usable.
// zh: 样本都在 -4 与 4 之间的行才能用。tidy 是样本减去该行均值；
// zh: 行不能用时，tidy 是 0。
// Rows after the last one count as 0.
// zh: 最后一行之后的行按 0 计算。
const int WINDOW = 16;

// One warp per row finds out whether the row is usable, and computes its mean.
// You need not change this kernel.
// zh: 每行由一个 warp 判断能不能用，并求出均值。这个核函数不用改。
__global__ void inspect(const float *in, unsigned char *ok, double *mean,
                        int rows, int cols) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32,
        good = 1;
    if (r >= rows) return;
    double sum = 0;
    for (int c = lane; c < cols; c += 32) {
        sum += in[r * cols + c];
        good &= fabsf(in[r * cols + c]) < 4;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        good &= __shfl_down_sync(~0u, good, d);
    }
    if (lane == 0) ok[r] = (unsigned char)good;
    if (lane == 0) mean[r] = sum / cols;
}

// Rows of tidy begin pitch floats apart. You need not change this kernel.
// zh: tidy 的相邻两行相隔 pitch 个 float。这个核函数不用改。
__global__ void clean(const float *in, const unsigned char *ok,
                      const double *mean, float *tidy, int rows, int cols,
                      int pitch) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols) return;
    tidy[r * pitch + c] = ok[r] ? in[r * cols + c] - (float)mean[r] : 0.0f;
}

// Each thread computes four columns, with loads of 16 bytes. You need not
// change this kernel either.
// zh: 每个线程算四列，每次读 16 字节。这个核函数也不用改。
__global__ void window(const float *tidy, float *out, int rows, int cols,
                       int pitch) {
    int c = 4 * (blockIdx.x * 32 + threadIdx.x),
        r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols) return;
    float4 sum = {0, 0, 0, 0};
    for (int k = 0; k < WINDOW && r + k < rows; k++) {
        float4 x = *(const float4 *)&tidy[(r + k) * pitch + c];
        sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
    }
    float *to = &out[r * cols + c];
    to[0] = sum.x;
    if (c + 1 < cols) to[1] = sum.y;
    if (c + 2 < cols) to[2] = sum.z;
    if (c + 3 < cols) to[3] = sum.w;
}

void tidy_up(const float *in, float *out, int rows, int cols) {
    // TODO: three arrays share one allocation. At which bytes may each of them
    // begin? At which bytes may each row of tidy begin?
    // zh: TODO：三个数组放在同一次分配里。每个数组可以从哪里开始？
    // zh: tidy 的每一行可以从哪里开始？
    int pitch = cols;
    size_t mean_at = rows;
    size_t tidy_at = mean_at + rows * sizeof(double);
    char *pool;
    cudaMalloc(&pool, tidy_at + sizeof(float) * rows * pitch);
    unsigned char *ok = (unsigned char *)pool;
    double *mean = (double *)(pool + mean_at);
    float *tidy = (float *)(pool + tidy_at);

    dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
    inspect<<<(rows + 7) / 8, 256>>>(in, ok, mean, rows, cols);
    clean<<<grid, block>>>(in, ok, mean, tidy, rows, cols, pitch);
    window<<<dim3((cols + 127) / 128, (rows + 7) / 8), block>>>(tidy, out, rows,
                                                                cols, pitch);
    cudaFree(pool);
}
