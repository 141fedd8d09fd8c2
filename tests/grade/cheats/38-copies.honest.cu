// lab: transpose
// expect: pass
// Clears a row before the kernel: little beside what the kernel moves.
#include <cuda_runtime.h>
const int T = 32;
__global__ void tiled(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    for (int k = 0; k < T; k += 8)
        if (x < cols && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * cols + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T + threadIdx.y;
    for (int k = 0; k < T; k += 8)
        if (x < rows && y + k < cols)
            out[(size_t)(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
void transpose(const float *in, float *out, int rows, int cols) {
    cudaMemsetAsync(out, 0, rows * sizeof(float), 0);
    tiled<<<dim3((cols + T - 1) / T, (rows + T - 1) / T), dim3(T, 8)>>>(in, out, rows, cols);
}
