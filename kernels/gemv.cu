// The baseline of gemv: a thread per row. Neighbouring lanes read from neighbouring rows, a whole row apart.
__global__ void product(const float *a, const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < cols; k++) sum += a[(size_t)r * cols + k] * x[k];
    y[r] = sum;
}

void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    product<<<(rows + 127) / 128, 128>>>(a, x, y, rows, cols);
}
