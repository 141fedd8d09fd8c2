// kind: slow
// expect: fail counter block_barriers
// expect: met correct
// A barrier that nobody needs.
// answer line: 8
const int MOST = 20;

__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x;
    int y = blockIdx.y * block + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    __syncthreads();
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
}

void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
