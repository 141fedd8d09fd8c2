// bottleneck, solved: neighbouring lanes read neighbouring numbers of a row.
// zh: bottleneck 的参考答案：相邻的 lane 读一行里相邻的数。
// answer a: dram
// answer b: issue
// answer c: latency
// answer d: shared
// answer mine: dram

__global__ void sum_rows(const float *a, float *out, int rows) {
    // Each row has 16 lanes, and each lane reads four numbers. A request of a warp is 512 bytes.
    // zh: 每行 16 个 lane，每个 lane 读四个数：一个 warp 的请求是 512 个连续字节。
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
