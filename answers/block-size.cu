// block-size, solved: no thread reads the tile before all threads of the block have written to it.
// zh: block-size 的参考答案：块里的所有线程都写完 tile 之后，才有线程去读。
// answer line: 8

const int MOST = 20;

__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x;
    int y = blockIdx.y * block + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    // One barrier is enough: no thread writes to the tile again.
    // zh: 一个屏障就够了：之后没有线程再写 tile。
    __syncthreads();
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
}

void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
