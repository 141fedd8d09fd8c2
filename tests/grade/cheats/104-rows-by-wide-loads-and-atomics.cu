// lab: gemv
// expect: fail counter
// expect: says atomics is
// Still a row for each lane: wide loads halve the sectors, and atomics add up the parts of the rows.
__global__ void product(const float *a, const float *x, float *y, int rows, int cols, int chunk) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int from = blockIdx.y * chunk, to = min(from + chunk, cols);
    float s = 0;
    const float *row = a + (size_t)r * cols;
    if (cols % 4 == 0)
        for (int k = from; k < to; k += 4) {
            float4 v = *(const float4 *)&row[k], w = *(const float4 *)&x[k];
            s += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
        }
    else
        for (int k = from; k < to; k++) s += row[k] * x[k];
    atomicAdd(&y[r], s);
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    cudaMemsetAsync(y, 0, rows * sizeof(float));
    product<<<dim3((rows + 127) / 128, (cols + 31) / 32), 128>>>(a, x, y, rows, cols, 32);
}
