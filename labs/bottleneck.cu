// bottleneck: out[r] is the sum of row r. Each row has 64 numbers.
// zh: bottleneck：out[r] 是第 r 行之和，每行 64 个数。
//
// What limits the kernels a to d of the lesson on an H200? Write one of these:
// zh: 课文里的核函数 a 到 d 在 H200 上的瓶颈各是什么？从下面选：
//     dram, l2, l1, shared, issue, latency, launch
// answer a: TODO
// answer b: TODO
// answer c: TODO
// answer d: TODO
// And what limits the kernel below, after you have fixed it?
// zh: 下面的核函数改好之后，瓶颈是什么？
// answer mine: TODO

__global__ void sum_rows(const float *a, float *out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    // TODO: find out from the counters what limits this loop. Then remove only
    // this limiter.
    // zh: TODO：先根据计数器找出这个循环的瓶颈，再只去掉这个瓶颈。
    for (int k = 0; k < 64; k++) sum += a[(size_t)r * 64 + k];
    out[r] = sum;
}

void bottleneck(const float *a, float *out, int rows) {
    sum_rows<<<(rows + 255) / 256, 256>>>(a, out, rows);
}
