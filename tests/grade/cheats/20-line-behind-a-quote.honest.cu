// lab: block-size
// expect: pass
// Inline PTX that gives nothing another line, a quote that nothing closes, and no directive that numbers lines.
// answer line: 8
#if 0
it's not read: "
#endif
const int MOST = 20;
__global__ void transpose_tiles(float *a, int block, int w, int h) {
    __shared__ float tile[MOST][MOST];
    int x = blockIdx.x * block + threadIdx.x, y = blockIdx.y * block + threadIdx.y;
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(a + y * w + x));
    tile[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    a[y * w + x] = tile[threadIdx.x][threadIdx.y];
}
void block_size(float *a, int block, int w, int h) {
    dim3 grid(w / block, h / block), threads(block, block);
    if (grid.x && grid.y) transpose_tiles<<<grid, threads>>>(a, block, w, h);
}
