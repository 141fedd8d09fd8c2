// lab: gemv
// expect: fail correct
// Each of 128 threads adds nine elements: the columns from 1152 on are left out.
__global__ void __launch_bounds__(128) product(const float *a, const float *x, float *y, int cols) {
    const float *row = a + (size_t)blockIdx.x * cols;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 9; j++) {
        int k = threadIdx.x + 128 * j;
        if (k < cols) sum += row[k] * x[k];
    }
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    __shared__ float part[4];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) { product<<<rows, 128>>>(a, x, y, cols); }
