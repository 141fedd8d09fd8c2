// int-div: cuts an image of rows x cols bytes into tiles of t x t and stores
// one tile after another.
// zh: int-div：把 rows x cols 字节的图像切成 t x t 的 tile，逐个存放。
//
// t is a power of two from 4 to 32. Where a tile extends beyond the edge of the
// image, `out` is 0.
// zh: t 是 2 的幂，从 4 到 32。tile 超出图像边缘的地方，out 为 0。
//
// Each thread has a flat index into out, and computes from it the row and the
// column of its pixel.
// zh: 每个线程有一个 out 的一维下标，由下标算出像素所在的行和列。

const int BLOCK = 256;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows,
                     int cols, int t, int across, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    // TODO: replace these six / and %, whose divisors are known only at run
    // time. Four divisors are powers of two.
    // zh: TODO：换掉这六个 / 和 %，除数都是运行时才知道的。四个除数是 2 的幂；
    // The other two operations compute the row and the column of the tile. Can
    // the grid give you these?
    // zh: 另外两个运算求的是 tile 在第几行、第几列，能不能由网格给出？
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
