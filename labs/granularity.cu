// granularity: y[i] is the sum of x[i - 64] ... x[i + 64]; what lies outside of the array counts as 0.
//
// A block makes 128 outputs and loads 256 elements for them: every element is loaded twice, by two neighbouring blocks.
//
// y[i] 是 x[i - 64] 到 x[i + 64] 的和，数组之外视为 0。一个块算 128 个输出，却要读入 256 个元素：每个元素都被相邻的两个块各读一遍。

// TODO: merge neighbouring blocks: more outputs per block share one halo. How many, before shared memory or idle multiprocessors set the limit?
// TODO：把相邻的块合并：一个块算更多输出，共用一份边缘。合并到什么程度，会受共享内存或空闲多处理器的限制？
const int BLOCK = 128, RADIUS = 64, EACH = 1; // outputs per thread
const int OUT = BLOCK * EACH, TILE = OUT + 2 * RADIUS;

// y[i] = the sum of x[i - RADIUS] ... x[i + RADIUS], where what lies outside counts as 0.
__global__ void window(const int *x, int *y, int n) {
    __shared__ int tile[TILE];
    int first = blockIdx.x * OUT - RADIUS;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < OUT; j += BLOCK) {
        int sum = 0;
        for (int d = 0; d <= 2 * RADIUS; d++) sum += tile[j + d];
        if (blockIdx.x * OUT + j < n) y[blockIdx.x * OUT + j] = sum;
    }
}

void granularity(const int *x, int *y, int n) { window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n); }
