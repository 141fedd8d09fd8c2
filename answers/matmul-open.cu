// Matrix product with register tiles, 16-byte loads and double buffering.
//
//   a block   computes SIZE x SIZE outputs, in phases of DEPTH steps of k
//   a warp    computes 16 * PARTS rows x 32 * PARTS columns of these outputs
//   a thread  computes PARTS x PARTS squares of 4 x 4 outputs, so it can read shared memory with
//             16-byte loads that have no bank conflicts
//
// While the threads multiply the tiles of one phase, the loads of the next phase are under way.
// There are two copies of the tiles, so one barrier in each phase is enough.
// zh: 用寄存器 tile、16 字节的读取和双缓冲的矩阵乘法。
// zh:   线程块  计算 SIZE x SIZE 个输出，每个阶段 k 前进 DEPTH 步
// zh:   warp    计算其中的 16 * PARTS 行 x 32 * PARTS 列
// zh:   线程    计算 PARTS x PARTS 个 4 x 4 的方阵，这样可以用 16 字节的读取读共享内存，没有存储体冲突
// zh: 线程计算一个阶段的 tile 时，下一阶段的读取已经在途。tile 存两份，所以每个阶段只要一次屏障。

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// Loads four elements of a row. EXACT means that n is a multiple of SIZE: then no boundary check is
// needed, and one 16-byte load brings the four.
// zh: 读一行里的四个元素。EXACT 表示 n 是 SIZE 的整数倍：无需检查边界，一次 16 字节的读取就够了。
template <bool EXACT> __device__ float4 load4(const float *m, int row, int col, int n) {
    const float *p = &m[(size_t)row * n + col];
    if (EXACT) return *reinterpret_cast<const float4 *>(p);
    float4 v = {0, 0, 0, 0};
    if (row < n) {
        if (col < n) v.x = p[0];
        if (col + 1 < n) v.y = p[1];
        if (col + 2 < n) v.z = p[2];
        if (col + 3 < n) v.w = p[3];
    }
    return v;
}

// The more outputs a thread keeps, the more often it uses each word. With PARTS = 1, it does 16
// multiply-adds for 8 words; with PARTS = 2, it does 64 for 16 words.
// zh: 线程保存的输出越多，每个字用的次数越多：PARTS 为 1 时，用 8 个字做 16 次乘加；PARTS 为 2 时，
// zh: 用 16 个字做 64 次乘加。
template <int SIZE, int PARTS, int DEPTH, bool EXACT>
__global__ void __launch_bounds__(SIZE *SIZE / (16 * PARTS * PARTS))
    product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    constexpr int THREADS = SIZE * SIZE / (16 * PARTS * PARTS);
    // LOADS: 16-byte loads of a thread for one tile. WARPS_ACROSS: warps side by side in the
    // block's outputs. EACH: rows, and also columns, of a thread's outputs.
    // zh: LOADS：一个线程为一个 tile 做几次 16 字节的读取。WARPS_ACROSS：线程块的输出里，
    // zh: 并排的 warp 数。EACH：一个线程的输出的行数，也是列数。
    constexpr int LOADS = SIZE * DEPTH / 4 / THREADS;
    constexpr int WARPS_ACROSS = SIZE / (32 * PARTS);
    constexpr int EACH = 4 * PARTS;
    // at is transposed: a column of A is a row of at.
    // zh: at 是转置存放的：A 的一列是 at 的一行。
    __shared__ __align__(16) float at[2][DEPTH][SIZE + 4];
    __shared__ __align__(16) float bt[2][DEPTH][SIZE];

    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int row0 = blockIdx.y * SIZE, col0 = blockIdx.x * SIZE;
    // The thread computes rows r ... r + 3 and columns q ... q + 3 of the block's outputs. With
    // PARTS = 2, it also computes the rows from r + 16 on and the columns from q + 32 on.
    // zh: 线程计算线程块输出的第 r … r + 3 行、第 q … q + 3 列；PARTS 为 2 时，还计算从 r + 16 开始的行
    // zh: 和从 q + 32 开始的列。
    const int r = warp / WARPS_ACROSS * 16 * PARTS + lane / 8 * 4;
    const int q = warp % WARPS_ACROSS * 32 * PARTS + lane % 8 * 4;

    // The elements of the next phase, under way.
    // zh: 下一阶段的元素，正在途中。
    float4 an[LOADS], bn[LOADS];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            int e = t + i * THREADS;
            an[i] = load4<EXACT>(a, row0 + e / (DEPTH / 4), k0 + e % (DEPTH / 4) * 4, n);
            bn[i] = load4<EXACT>(b, k0 + e / (SIZE / 4), col0 + e % (SIZE / 4) * 4, n);
        }
    };
    auto store = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            int e = t + i * THREADS, row = e / (DEPTH / 4), k = e % (DEPTH / 4) * 4;
            at[buffer][k][row] = an[i].x;
            at[buffer][k + 1][row] = an[i].y;
            at[buffer][k + 2][row] = an[i].z;
            at[buffer][k + 3][row] = an[i].w;
            *reinterpret_cast<float4 *>(&bt[buffer][e / (SIZE / 4)][e % (SIZE / 4) * 4]) = bn[i];
        }
    };

    float sum[EACH][EACH] = {};
    fetch(0);
    store(0);
    __syncthreads();
    for (int k0 = 0, buffer = 0; k0 < n; k0 += DEPTH, buffer ^= 1) {
        bool more = k0 + DEPTH < n;
        if (more) fetch(k0 + DEPTH);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float x[EACH], y[EACH];
#pragma unroll
            for (int p = 0; p < PARTS; p++) {
                *reinterpret_cast<float4 *>(&x[4 * p]) =
                    *reinterpret_cast<const float4 *>(&at[buffer][k][r + 16 * p]);
                *reinterpret_cast<float4 *>(&y[4 * p]) =
                    *reinterpret_cast<const float4 *>(&bt[buffer][k][q + 32 * p]);
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) sum[i][j] += x[i] * y[j];
        }
        if (more) {
            store(buffer ^ 1);
            __syncthreads();
        }
    }

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int row = row0 + r + i % 4 + i / 4 * 16;
#pragma unroll
        for (int j = 0; j < EACH; j += 4) {
            const int col = col0 + q + j / 4 * 32;
            if (EXACT) {
                *reinterpret_cast<float4 *>(&c[(size_t)row * n + col]) =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            } else if (row < n) {
                for (int x = 0; x < 4; x++)
                    if (col + x < n) c[(size_t)row * n + col + x] = sum[i][j + x];
            }
        }
    }
}

template <int SIZE, int PARTS, int DEPTH>
static void launch(const float *a, const float *b, float *c, int n) {
    dim3 grid(blocks_for(n, SIZE), blocks_for(n, SIZE));
    int threads = SIZE * SIZE / (16 * PARTS * PARTS);
    if (n % SIZE == 0) product<SIZE, PARTS, DEPTH, true><<<grid, threads>>>(a, b, c, n);
    else product<SIZE, PARTS, DEPTH, false><<<grid, threads>>>(a, b, c, n);
}

void matmul_open(const float *a, const float *b, float *c, int n) {
    // The larger the tiles, the more often the kernel uses each loaded element. But with large
    // tiles, a small matrix has too few blocks for all multiprocessors. Measured on an H200 at
    // n = 768: small tiles take 44 us, middle ones 54 us, large ones 93 us. From n = 2048 on, large
    // tiles are fastest.
    // zh: tile 越大，读来的每个元素用的次数越多。但矩阵小而 tile 大时，线程块太少，有的多处理器
    // zh: 无事可做。H200 上 n = 768 时实测：小 tile 44 微秒，中等的 54 微秒，大的 93 微秒。从 n = 2048
    // zh: 起，大 tile 最快。
    if (n >= 2048) launch<128, 2, 8>(a, b, c, n);
    else if (n >= 1024) launch<64, 1, 16>(a, b, c, n);
    else launch<32, 1, 16>(a, b, c, n);
}
