// dynamic-shared: shifts every row to mean 0 and scales it to variance 1. One
// block computes one row.
// zh: 把每一行平移到均值 0，缩放到方差 1。一个块处理一行。
// The block keeps its row in shared memory. So it reads global memory once
// instead of three times.
// zh: 块把整行留在共享内存里，所以全局内存只读一遍，而不是三遍。

// MOST floats and 8 partial sums take 48 KB. This is the limit for static
// shared memory.
// zh: MOST 个 float 加 8 个部分和共 48 KB，这是静态共享内存的上限。
const int BLOCK = 256, WARPS = BLOCK / 32, MOST = 12280;

// The sum of v over all threads of the block. Every thread gets the sum. `part`
// must have room for WARPS floats.
// zh: 块内所有线程的 v 之和，每个线程都得到结果。part 要放得下 WARPS 个 float。
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
    // TODO: declare a single array whose size the launch decides. `row` and
    // `part` become parts of this array.
    // zh: TODO：只声明一个数组，大小由启动时决定，row 和 part 是其中的两段。
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
    // TODO: how many bytes does a block need? For more than 48 KB, you must
    // raise the limit of the kernel first.
    // zh: TODO：一个块需要多少字节？超过 48 KB 时，要先提高这个核函数的上限。
    normalise<<<rows, BLOCK>>>(in, out, cols);
}
