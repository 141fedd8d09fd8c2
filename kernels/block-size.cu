// block-size: every whole tile of block x block elements is transposed in place.
// The plain way: one thread for each tile.
__global__ void one_thread_a_tile(float *a, int block, int w, int h) {
    int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * block, y0 = blockIdx.y * block;
    if (x0 + block <= w && y0 + block <= h)
        for (int y = 0; y < block; y++)
            for (int x = y + 1; x < block; x++) {
                float *p = &a[(size_t)(y0 + y) * w + x0 + x], *q = &a[(size_t)(y0 + x) * w + x0 + y], keep = *p;
                *p = *q;
                *q = keep;
            }
}

void block_size(float *a, int block, int w, int h) {
    dim3 grid((w / block + 31) / 32, h / block);
    if (w >= block && h >= block) one_thread_a_tile<<<grid, 32>>>(a, block, w, h);
}
