// int-div: cuts a picture of rows x cols bytes into tiles of t x t and stores
// tile after tile.
// zh: int-div：把 rows x cols 字节的图像切成 t x t 的 tile，逐个 tile 存放。
//
// t is a power of two from 4 to 32. Where a tile reaches over the edge of the
// picture, out is 0.
// zh: t 是 4 到 32 之间的 2 的幂。tile 超出图像边缘的地方，out 为 0。
//
// A thread gets one flat index and has to find out which row and column it
// stands for.
// zh: 每个线程得到一个一维下标，要由它算出自己对应哪一行哪一列。

const int BLOCK = 256;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows,
                     int cols, int t, int across, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    // TODO: six / and % by numbers that only the host knows. Four of the six
    // are by powers of two;
    // zh: TODO：这里有六个 / 和 %，除数只有主机知道。其中四个的除数是 2 的幂；
    // the other two ask for the row and the column of a tile: can the
    // grid say that?
    // zh: 另外两个问的是 tile 在第几行第几列：能不能由网格来告诉线程？
    int which = i / (t * t), inside = i % (t * t);
    int row = which / across * t + inside / t,
        col = which % across * t + inside % t;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}

void int_div(const unsigned char *in, unsigned char *out, int rows, int cols,
             int t) {
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t,
        count = across * down * t * t;
    tile<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols, t, across,
                                                 count);
}
