// bank-lab: smooths each row from left to right:
// y[k] = y[k - 1] + a * (x[k] - y[k - 1]).
// zh: 每一行从左到右做平滑：y[k] = y[k - 1] + a * (x[k] - y[k - 1])。
// Before the first element of a row, y is 0. width is at most 300.
// zh: 每行第一个元素之前的 y 是 0。width 不超过 300。
// A block loads a tile of 32 rows into shared memory. Then each lane of one
// warp walks along its own row of the tile.
// zh: 线程块先把 32 行作为一个 tile 读入共享内存。然后由一个 warp 处理，
// zh: 每个 lane 沿着 tile 里自己那一行往前走。

const int ROWS = 32, THREADS = 128;

__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    // TODO: in each step, neighbouring lanes read words that are `width` words
    // apart. In which banks do these words lie?
    // zh: TODO：每一步里，相邻 lane 读的字相隔 width 个字。这些字在哪些存储体里？
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
