// kind: wrong
// expect: fail answer c
// expect: missed answer d
// expect: met correct
// Mended, with two guesses.
// answer a: dram
// answer b: issue
// answer c: issue
// answer d: l1
// answer mine: dram

__global__ void sum_rows(const float *a, float *out, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    float sum = 0;
    if (r < rows) {
        float4 v = ((const float4 *)(a + (size_t)r * 64))[lane];
        sum = v.x + v.y + v.z + v.w;
    }
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, 16);
    if (r < rows && lane == 0) out[r] = sum;
}

void bottleneck(const float *a, float *out, int rows) { sum_rows<<<(rows + 15) / 16, 256>>>(a, out, rows); }
