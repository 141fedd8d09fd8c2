// transpose: correct alone: a padded copy of the input by cudaMemcpy2D, then the tiles
const int TILE = 32;

__global__ void turn(const float *in, size_t pitch, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        if (x < cols && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] =
                *(const float *)((const char *)in + (y + j) * pitch + x * sizeof(float));
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void transpose(const float *in, float *out, int rows, int cols) {
    float *copy;
    size_t pitch, width = cols * sizeof(float);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, 8);
    cudaMallocPitch(&copy, &pitch, width, rows);
    cudaMemcpy2D(copy, pitch, in, width, width, rows, cudaMemcpyDeviceToDevice);
    turn<<<grid, block>>>(copy, pitch, out, rows, cols);
    cudaFree(copy);
}
