// block-size: divides a w x h matrix into tiles of block x block elements and
// transposes each tile in place. `block` is 1 to 20.
// zh: block-size：把 w x h 的矩阵分成 block x block 的 tile，
// zh: 每个 tile 原地转置。block 为 1 到 20。
//
// Incomplete tiles at the edges stay as they are.
// zh: 边缘处不完整的 tile 保持原样。
//
// The device reports a race between two lines. Write the number of one of
// them, as in the listing of the lesson:
// zh: 设备报告两行之间有竞争。写出其中一行在课文程序里的行号：
// answer line: TODO

const int MOST = 20;

__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x;
    int y = blockIdx.y * block + threadIdx.y;
    // TODO: for which block sizes is this correct? Make it correct for all.
    // zh: TODO：哪些块大小是对的？改成对所有大小都正确。
    tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
}

void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
