// block-size: transposes every tile of block x block elements of a w x h
// matrix in place; block is 1 to 20.
// zh: block-size：把 w x h 矩阵里每个 block x block 的 tile 原地转置；
// zh: block 为 1 到 20。
//
// Tiles that the edge cuts off stay as they are.
// zh: 被边缘切断的 tile 保持原样。
//
// Which line of the listing in the lesson is in the race that the
// device reports?
// zh: 课文所列程序里，设备报告的竞争出在哪一行？
// answer line: TODO

const int MOST = 20;

__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x;
    int y = blockIdx.y * block + threadIdx.y;
    // TODO: right for which block sizes? Make it right for all of them.
    // zh: TODO：它对哪些块大小是对的？改到对所有大小都正确。
    tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
}

void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
