// block-size, solved: no thread reads the tile before all of the block have written it.
// zh: block-size 的解答：整个块都写完 tile 之后，才有线程去读它。
// answer line: 8

const int MOST = 20;

__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x;
    int y = blockIdx.y * block + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    // One barrier is enough: nobody writes the tile again.
    // zh: 一次屏障就够了：之后没有人再写 tile。
    __syncthreads();
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
}

void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
