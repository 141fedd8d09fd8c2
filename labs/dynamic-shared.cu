// dynamic-shared: every row is shifted to mean 0 and scaled to variance 1; a
// block does one row.
// zh: 把每一行平移到均值 0、缩放到方差 1；一个块处理一行。
// The row is kept in shared memory, so that global memory is read once, not
// three times.
// zh: 整行存放在共享内存里，这样全局内存只读一遍，而不是三遍。

// MOST floats and 8 partial sums are 48 KB, all that an array of fixed
// size can have.
// zh: MOST 个 float 加 8 个部分和正好 48 KB，这是固定大小的共享数组的上限。
const int BLOCK = 256, WARPS = BLOCK / 32, MOST = 12280;

// The sum of v over the block; every thread gets it. part has room for
// WARPS floats.
// zh: 整个块的 v 之和，每个线程都得到结果。part 要放得下 WARPS 个 float。
__device__ float block_sum(float v, float *part) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < WARPS; w++) sum += part[w];
    return sum;
}

__global__ void normalise(const float *in, float *out, int cols) {
    // TODO: one array whose size the launch decides; row and part are two
    // stretches of it.
    // zh: TODO：改成一个由启动时决定大小的数组，row 和 part 是其中的两段。
    __shared__ float row[MOST];
    __shared__ float part[WARPS];
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        sum += row[c] = in[first + c];
    float mean = block_sum(sum, part) / cols;
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        squares += (row[c] - mean) * (row[c] - mean);
    float scale = rsqrtf(block_sum(squares, part) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        out[first + c] = (row[c] - mean) * scale;
}

void layer_norm(const float *in, float *out, int rows, int cols) {
    // TODO: how many bytes does a block need? Beyond 48 KB the kernel has to
    // be allowed them first.
    // zh: TODO：一个块需要多少字节？超过 48 KB 时，要先为核函数开放上限。
    normalise<<<rows, BLOCK>>>(in, out, cols);
}
