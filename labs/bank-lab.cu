// bank-lab: each row is smoothed from left to right,
// y[k] = y[k - 1] + a * (x[k] - y[k - 1]).
// zh: 每一行从左到右做平滑：y[k] = y[k - 1] + a * (x[k] - y[k - 1])。
// Before the first element y is 0. width is at most 300.
// zh: 第一个元素之前 y 为 0。width 不超过 300。
// A tile of 32 rows is brought into shared memory, where one lane walks
// along each row.
// zh: 先把 32 行作为一个 tile 搬进共享内存，再由每个 lane 沿着自己那一行
// zh: 往前处理。

const int ROWS = 32, THREADS = 128;

__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    // TODO: at each step the lanes read words that are `width` apart. In which
    // banks do they lie?
    // zh: TODO：每一步里，各 lane 读的字彼此相隔 width。它们落在哪些存储体里？
    extern __shared__ float tile[];
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first),
        me = threadIdx.x;
    for (int i = me; i < count * width; i += THREADS)
        tile[i] = x[first * width + i];
    __syncthreads();
    if (me < count) {
        float now = 0;
        for (int k = 0; k < width; k++) {
            now += a * (tile[me * width + k] - now);
            tile[me * width + k] = now;
        }
    }
    __syncthreads();
    for (int i = me; i < count * width; i += THREADS)
        y[first * width + i] = tile[i];
}

void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    int bytes = ROWS * width * sizeof(float);
    smooth<<<(rows + ROWS - 1) / ROWS, THREADS, bytes>>>(x, y, a, rows, width);
}
