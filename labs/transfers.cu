// transfers: readings from sensors, levelled. The host holds a log of `rows`
// readings of `cols` samples; order[r] says where in the log reading r begins
// its row. Four steps:
// zh: transfers：整理传感器读数。主机上的日志有 rows 次读数，每次 cols 个样本；
// zh: order[r] 是第 r 次读数在日志里的行号。共四步：
//   1  the readings go to the device in the right order
//   2  sum[r] = the mean of reading r (kernel row_means)
//   3  level = 0.75 * level + 0.25 * sum[r], one r after another (today on the
//      host)
//   4  every sample of reading r less that level (kernel subtract)
// zh: （1）按正确的次序送到设备；（2）求每次读数的均值；
// zh: （3）逐次更新 level，目前在主机上做；（4）每个样本减去当时的 level。
#include <cstdlib>
#include <cstring>

// One warp for each reading. Nothing is to be done here.
// zh: 每次读数一个 warp。这里不用改。
__global__ void row_means(const float *x, float *mean, int rows, int cols) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += x[(size_t)r * cols + c];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) mean[r] = s / cols;
}

// One block for each reading. Nor here.
// zh: 每次读数一个块。这里也不用改。
__global__ void subtract(float *x, const float *level, int cols) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        x[(size_t)r * cols + c] -= level[r];
}

// log and order are ordinary host memory, out is page-locked host memory.
// zh: log 和 order 是普通主机内存，out 是锁页主机内存。
void transfers(const float *log, const int *order, float *out, int rows,
               int cols) {
    size_t row = cols * sizeof(float);
    float *x, *mean;
    cudaMalloc(&x, rows * row);
    cudaMalloc(&mean, rows * sizeof(float));

    // TODO: how many copies are these, from what kind of memory, and which of
    // them need not be?
    // zh: TODO：这里一共拷贝了多少次？是从哪种内存拷贝的？哪些根本不必拷贝？
    for (int r = 0; r < rows; r++)
        cudaMemcpy(x + (size_t)r * cols, log + (size_t)order[r] * cols, row,
                   cudaMemcpyHostToDevice);
    row_means<<<(rows + 7) / 8, 256>>>(x, mean, rows, cols);

    float *level = (float *)malloc(rows * sizeof(float)), now = 0;
    cudaMemcpy(level, mean, rows * sizeof(float), cudaMemcpyDeviceToHost);
    for (int r = 0; r < rows; r++)
        level[r] = now = 0.75f * now + 0.25f * level[r];
    cudaMemcpy(mean, level, rows * sizeof(float), cudaMemcpyHostToDevice);
    free(level);

    subtract<<<rows, 256>>>(x, mean, cols);
    for (int r = 0; r < rows; r++)
        cudaMemcpy(out + (size_t)r * cols, x + (size_t)r * cols, row,
                   cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(mean);
}
