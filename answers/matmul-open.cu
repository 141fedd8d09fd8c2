// Matrix product with register tiles, vector loads and double buffering.
//
//   a block   computes SIZE x SIZE outputs, walking along k in steps of DEPTH
//   a warp    16 * PARTS rows x 32 * PARTS columns of them
//   a thread  PARTS x PARTS squares of 4 x 4, so that its reads of shared memory are 16-byte loads
//             without bank conflicts
//
// While the threads multiply the tiles of one step, the loads of the next step are under way; two
// copies of the tiles let one barrier a step suffice.
// zh: 用寄存器分块、向量读取和双缓冲的矩阵乘法。
// zh:   线程块  计算 SIZE x SIZE 个输出，沿 k 每步前进 DEPTH
// zh:   warp    其中的 16 * PARTS 行 x 32 * PARTS 列
// zh:   线程    PARTS x PARTS 个 4 x 4 的方阵，这样读共享内存都是 16 字节的读取，没有存储体冲突
// zh: 线程计算当前一步的 tile 时，下一步的读取已经在路上；tile 存两份，所以每步只要一次屏障。

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// Four elements of a row. EXACT: n is a multiple of the tile, so nothing needs checking and the
// load is one 16-byte access.
// zh: 一行里的四个元素。EXACT 表示 n 是 tile 的整数倍：无需检查边界，一次 16 字节的访问就能读完。
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

// The more outputs a thread keeps, the more often it uses each word: PARTS 1 is 16 multiply-adds
// for 8 words, PARTS 2 is 64 for 16.
// zh: 线程保存的输出越多，每个字用得越多：PARTS 为 1 时 8 个字做 16 次乘加，为 2 时
// zh: 16 个字做 64 次。
template <int SIZE, int PARTS, int DEPTH, bool EXACT>
__global__ void __launch_bounds__(SIZE *SIZE / (16 * PARTS * PARTS))
    product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    constexpr int THREADS = SIZE * SIZE / (16 * PARTS * PARTS);
    // 16-byte loads per thread and tile; warps side by side; rows and columns of a thread.
    // zh: 每个线程每个 tile 的 16 字节读取次数；并排的 warp 数；一个线程的行数与列数。
    constexpr int LOADS = SIZE * DEPTH / 4 / THREADS;
    constexpr int WARPS_ACROSS = SIZE / (32 * PARTS);
    constexpr int EACH = 4 * PARTS;
    // at is transposed: a column of A is a row of at.
    // zh: at 是转置存放的：A 的一列是 at 的一行。
    __shared__ __align__(16) float at[2][DEPTH][SIZE + 4];
    __shared__ __align__(16) float bt[2][DEPTH][SIZE];

    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int row0 = blockIdx.y * SIZE, col0 = blockIdx.x * SIZE;
    // Rows r ... r + 3 and columns q ... q + 3; with PARTS 2 also r + 16 ... and q + 32 ...
    // zh: 行 r … r + 3，列 q … q + 3；PARTS 为 2 时还有 r + 16 … 和 q + 32 …。
    const int r = warp / WARPS_ACROSS * 16 * PARTS + lane / 8 * 4;
    const int q = warp % WARPS_ACROSS * 32 * PARTS + lane % 8 * 4;

    // The next step's elements on their way.
    // zh: 正在路上的下一步的元素。
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
    // Big tiles reuse more; but a small matrix needs small ones, or half of the multiprocessors
    // have nothing to do. Measured on an H200: at 768 the small tiles take 44 us, the middle ones 54 and
    // the large ones 93; from 2048 on the large ones win.
    // zh: tile 越大复用越多；但矩阵小就要用小 tile，否则一半的多处理器无事可做。H200 实测：768 时
    // zh: 小 tile 44 微秒，中等的 54 微秒，大的 93 微秒；从 2048 起大 tile 胜出。
    if (n >= 2048) launch<128, 2, 8>(a, b, c, n);
    else if (n >= 1024) launch<64, 1, 16>(a, b, c, n);
    else launch<32, 1, 16>(a, b, c, n);
}
