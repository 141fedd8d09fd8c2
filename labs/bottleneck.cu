// bottleneck: out[r] is the sum of row r, of 64 numbers each.
// zh: bottleneck：out[r] 是第 r 行之和，每行 64 个数。
//
// The limiters of the lesson's mystery kernels on an H200, each one of
// zh: 课文里各个神秘核函数在 H200 上受什么限制，从下面选一个：
//     dram, l2, l1, shared, issue, latency, launch
// answer a: TODO
// answer b: TODO
// answer c: TODO
// answer d: TODO
// And that of your own kernel, once it is mended:
// zh: 你自己的核函数改好之后受什么限制：
// answer mine: TODO

__global__ void sum_rows(const float *a, float *out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    // TODO: first name what limits this loop, by its counters; then take just
    // that away.
    // zh: TODO：先根据计数器说出这个循环受什么限制，再单独去掉它。
    for (int k = 0; k < 64; k++) sum += a[(size_t)r * 64 + k];
    out[r] = sum;
}

void bottleneck(const float *a, float *out, int rows) {
    sum_rows<<<(rows + 255) / 256, 256>>>(a, out, rows);
}
