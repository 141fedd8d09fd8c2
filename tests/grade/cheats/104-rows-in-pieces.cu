// lab: gemv
// expect: fail counter
// expect: says gld_sectors_per_request is
// Still a row for each lane, by wide loads. The parts of the rows are added up in shared memory.
__global__ void product(const float *a, const float *x, float *y, int rows, int cols) {
    __shared__ float xs[2048], part[32][33];
    for (int k = threadIdx.y * 32 + threadIdx.x; k < cols; k += 1024) xs[k] = x[k];
    __syncthreads();
    int r = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    if (r < rows) {
        const float *row = a + (size_t)r * cols;
        if (cols % 4 == 0)
            for (int k = threadIdx.y * 4; k < cols; k += 128) {
                float4 v = *(const float4 *)&row[k];
                s += v.x * xs[k] + v.y * xs[k + 1] + v.z * xs[k + 2] + v.w * xs[k + 3];
            }
        else for (int k = threadIdx.y; k < cols; k += 32) s += row[k] * xs[k];
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && r < rows) {
        s = 0;
        for (int c = 0; c < 32; c++) s += part[c][threadIdx.x];
        y[r] = s;
    }
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) { product<<<(rows + 31) / 32, dim3(32, 32)>>>(a, x, y, rows, cols); }
