// granularity, solved: a thread makes seven neighbouring outputs. Their windows have nearly all
// elements in common. The 896 outputs of a block share one halo.
// zh: granularity 的参考答案：一个线程算七个相邻的输出，这些输出的窗口几乎完全重叠。
// zh: 一个块的 896 个输出共用一个重叠区。

// A thread makes EACH neighbouring outputs. EACH is odd, so the threads of a warp start to read
// in different banks.
// zh: 每个线程算 EACH 个相邻的输出。EACH 取奇数，使一个 warp 的各个线程从不同的存储体开始读。
const int BLOCK = 128, RADIUS = 64, EACH = 7;
const int OUT = BLOCK * EACH, TILE = OUT + 2 * RADIUS;

// y[i] is the sum of x[i - RADIUS] ... x[i + RADIUS]. Elements outside of the array count as 0.
// zh: y[i] 是 x[i - RADIUS] 到 x[i + RADIUS] 的和，数组之外的元素视为 0。
__global__ void window(const int *x, int *y, int n) {
    __shared__ int tile[TILE];
    int first = blockIdx.x * OUT - RADIUS;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    // Add up the first window. Each further window differs from the previous one in two elements.
    // zh: 第一个窗口逐个相加；之后每个窗口与前一个只差两个元素。
    int at = threadIdx.x * EACH, sum[EACH] = {};
    for (int d = 0; d <= 2 * RADIUS; d++) sum[0] += tile[at + d];
#pragma unroll
    for (int j = 1; j < EACH; j++) sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1];
    __syncthreads();
    // The outputs go through the tile, so that the stores coalesce.
    // zh: 输出经过 tile 写出，使写入合并。
#pragma unroll
    for (int j = 0; j < EACH; j++) tile[at + j] = sum[j];
    __syncthreads();
    for (int j = threadIdx.x; j < OUT; j += BLOCK)
        if (blockIdx.x * OUT + j < n) y[blockIdx.x * OUT + j] = tile[j];
}

void granularity(const int *x, int *y, int n) { window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n); }
