// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// The remedy for another limiter: smaller blocks.
// answer a: dram
// answer b: issue
// answer c: latency
// answer d: shared
// answer mine: l1

__global__ void sum_rows(const float *a, float *out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += a[(size_t)r * 64 + k];
    out[r] = sum;
}

void bottleneck(const float *a, float *out, int rows) { sum_rows<<<(rows + 63) / 64, 64>>>(a, out, rows); }
