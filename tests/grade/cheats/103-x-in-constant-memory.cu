// lab: spmv
// expect: fail counter
// expect: says const_passes is
// Still a thread for each row; x is in constant memory, where no sector is counted.
__constant__ float held[16384];
__global__ void product(const int *start, const int *col, const float *value, const float *x, float *y, int rows, bool fits) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * (fits ? held[col[k]] : x[col[k]]);
    y[r] = sum;
}
void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    bool fits = rows <= 16384;
    if (fits) cudaMemcpyToSymbolAsync(held, x, rows * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    product<<<(rows + 127) / 128, 128>>>(start, col, value, x, y, rows, fits);
}
