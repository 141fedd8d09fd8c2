// lab: gemv
// expect: pass
// The honest twin of 107-sum-begins-with-nothing.cu: the sum is set to 0, and a register that is not set on every path is only used where it is.
const int BLOCK = 128; // threads per row

__global__ void __launch_bounds__(BLOCK) product(const float *a, const float *x, float *y, int rows, int cols) {
    const float *row = a + (size_t)blockIdx.x * cols;
    float sum = 0, first;
    if (cols % 4 == 0) { // every row starts at a multiple of 16 bytes
        const float4 *row4 = reinterpret_cast<const float4 *>(row), *x4 = reinterpret_cast<const float4 *>(x);
#pragma unroll 4
        for (int k = threadIdx.x; k < cols / 4; k += BLOCK) {
            float4 p = row4[k], q = x4[k];
            sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        }
    } else {
        if (threadIdx.x < cols) first = row[threadIdx.x] * x[threadIdx.x];
        for (int k = threadIdx.x + BLOCK; k < cols; k += BLOCK) sum += row[k] * x[k];
        if (threadIdx.x < cols) sum += first;
    }
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    __shared__ float part[BLOCK / 32];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK / 32; w++) sum += part[w];
        y[blockIdx.x] = sum;
    }
}

void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    product<<<rows, BLOCK>>>(a, x, y, rows, cols);
}
