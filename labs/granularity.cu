// granularity: y[i] is the sum of x[i - 64] ... x[i + 64]. Elements outside of
// the array count as 0.
//
// A block makes 128 outputs and loads 256 elements for them. So every element
// is loaded twice, by two neighbouring blocks. A thread makes one output and
// reads 129 elements of the tile. The next thread reads 128 of these again.
// zh: y[i] 是 x[i - 64] 到 x[i + 64] 的和，数组之外的元素视为 0。
// zh:
// zh: 一个块算 128 个输出，却要读入 256 个元素，
// zh: 所以每个元素都由相邻的两个块各读一遍。一个线程算一个输出，
// zh: 要读 tile 里的 129 个元素，下一个线程又把其中的 128 个读一遍。

// EACH: the number of outputs per thread.
// zh: EACH：每个线程算几个输出。
const int BLOCK = 128, RADIUS = 64, EACH = 1;
const int OUT = BLOCK * EACH, TILE = OUT + 2 * RADIUS;

__global__ void window(const int *x, int *y, int n) {
    __shared__ int tile[TILE];
    int first = blockIdx.x * OUT - RADIUS;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    // TODO: let a thread make several outputs, and do their common work only
    // once. Which outputs should one thread make? In which banks do the
    // threads of a warp start to read? With how many outputs per thread are
    // there still enough blocks for the device?
    // zh: TODO：让一个线程算几个输出，相同的部分只算一次。
    // zh: 一个线程应当算哪几个输出？一个 warp 的各个线程从哪些存储体开始读？
    // zh: 每个线程算到多少个时，剩下的块就不够占满设备了？
    for (int j = threadIdx.x; j < OUT; j += BLOCK) {
        int sum = 0;
        for (int d = 0; d <= 2 * RADIUS; d++) sum += tile[j + d];
        if (blockIdx.x * OUT + j < n) y[blockIdx.x * OUT + j] = sum;
    }
}

void granularity(const int *x, int *y, int n) {
    window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n);
}
