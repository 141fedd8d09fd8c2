// granularity: y[i] is the sum of x[i - 64] ... x[i + 64]; what lies outside
// of the array counts as 0.
//
// A block makes 128 outputs and loads 256 elements for them: every element is
// loaded twice, by two neighbouring blocks. A thread makes one output and
// reads 129 elements for it; its neighbour reads 128 of them again.
// zh: y[i] 是 x[i - 64] 到 x[i + 64] 的和，数组之外视为 0。
// zh:
// zh: 一个块算 128 个输出，却要读入 256 个元素：每个元素都被相邻的两个块
// zh: 各读一遍。一个线程算一个输出，要读 129 个元素，
// zh: 其中 128 个相邻的线程还要再读一遍。

// EACH: outputs per thread.
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
    // TODO: let a thread make several outputs, and let them share what they
    // have in common. Which outputs should one thread make? In which banks do
    // the threads of a warp start? And how many, before too few blocks are
    // left for the device?
    // zh: TODO：让一个线程算几个输出，并共用它们相同的部分。
    // zh: 一个线程应当算哪几个？一个 warp 的各个线程从哪些存储体开始读？
    // zh: 算到多少个时，剩下的块就不够设备用了？
    for (int j = threadIdx.x; j < OUT; j += BLOCK) {
        int sum = 0;
        for (int d = 0; d <= 2 * RADIUS; d++) sum += tile[j + d];
        if (blockIdx.x * OUT + j < n) y[blockIdx.x * OUT + j] = sum;
    }
}

void granularity(const int *x, int *y, int n) {
    window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n);
}
