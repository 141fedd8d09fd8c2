// lab: block-size
// expect: compile
// A directive that numbers lines, behind a quote that nothing closes, in a lab that asks for a line.
// answer line: 8
#if 1
#endif '
#line 99999
const int MOST = 20;
__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x, y = blockIdx.y * block + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    __syncthreads();
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
}
void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
