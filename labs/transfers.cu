// transfers: corrects sensor readings. The log in host memory has `rows` rows,
// each with one reading of `cols` samples. Reading r is in row order[r] of the
// log. There are four steps:
// zh: transfers：整理传感器读数。主机上的日志有 rows 行，每行是一次读数，
// zh: 有 cols 个样本；第 r 次读数在日志的第 order[r] 行。共四步：
//   1  copy the readings to the device, reading 0 first
//   2  mean[r] = the mean of reading r (kernel row_means)
//   3  level = 0.75 * level + 0.25 * mean[r], one r after another (the
//      skeleton does this on the host)
//   4  subtract this level from every sample of reading r (kernel subtract)
// zh: （1）按次序把读数拷到设备；（2）求每次读数的均值；（3）依次对每个 r 更新
// zh: level，骨架代码在主机上做；（4）第 r 次读数的每个样本减去对应的 level。
#include <cstdlib>
#include <cstring>

// One warp for each reading. Do not change this kernel.
// zh: 每次读数一个线程束（warp）。这个核函数不用改。
__global__ void row_means(const float *x, float *mean, int rows, int cols) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += x[(size_t)r * cols + c];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) mean[r] = s / cols;
}

// One block for each reading. Do not change this kernel.
// zh: 每次读数一个块。这个核函数不用改。
__global__ void subtract(float *x, const float *level, int cols) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        x[(size_t)r * cols + c] -= level[r];
}

// `log` and `order` are ordinary host memory; `out` is page-locked host memory.
// zh: log 和 order 是普通的主机内存，out 是锁页的主机内存。
void transfers(const float *log, const int *order, float *out, int rows,
               int cols) {
    size_t row = cols * sizeof(float);
    float *x, *mean;
    cudaMalloc(&x, rows * row);
    cudaMalloc(&mean, rows * sizeof(float));

    // TODO: how many copies does this function make? From which kind of memory?
    // Which of the copies are unnecessary?
    // zh: TODO：这个函数拷贝了多少次？从哪种内存拷贝？哪些拷贝不需要？
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
