// lab: bottleneck
// expect: fail counter
// expect: says global_load_sectors is
// Still a thread for each row, whose loads are wide: each request asks for 32 sectors and uses half of them.
// answer a: dram
// answer b: issue
// answer c: latency
// answer d: shared
// answer mine: dram
__global__ void sum_rows(const float *a, float *out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float4 *row = (const float4 *)(a + (size_t)r * 64);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) sum += row[k].x + row[k].y + row[k].z + row[k].w;
    out[r] = sum;
}
void bottleneck(const float *a, float *out, int rows) { sum_rows<<<(rows + 127) / 128, 128>>>(a, out, rows); }
