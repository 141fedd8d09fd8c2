// constant-memory:
// out[r][c] = gain[c] * (taps[0] * in[r][c] + taps[1] * in[r][c + 1] + ...).
// zh: constant-memory：
// zh: out[r][c] = gain[c] * (taps[0] * in[r][c] + taps[1] * in[r][c + 1] + …)。
// There are m taps. Samples beyond the end of a row count as 0. m is at most
// 64, and cols is at most 4096.
// zh: 共有 m 个抽头（tap）。行尾之后的样本按 0 计算。m 不超过 64，
// zh: cols 不超过 4096。

const int MOST = 64, WIDEST = 4096;

// TODO: of the two small tables, the wrong one is in constant memory. In which
// table do all lanes read the same element at the same time?
// zh: TODO：两张小表中，放进常量内存的是不该放的那张。
// zh: 所有 lane 同时读同一个元素的，是哪一张？
__constant__ float gains[WIDEST];

__global__ void filter(const float *in, const float *taps, float *out, int rows,
                       int cols, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        if (c + k < cols) sum += taps[k] * in[r * cols + c + k];
    out[r * cols + c] = gains[c] * sum;
}

void smooth(const float *in, const float *taps, const float *gain, float *out,
            int rows, int cols, int m) {
    // taps and gain are in device memory, so the copy must say its direction.
    // zh: taps 和 gain 都在设备内存里，所以拷贝到常量内存时要写明方向。
    cudaMemcpyToSymbol(gains, gain, cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, taps, out, rows, cols,
                                                    m);
}
