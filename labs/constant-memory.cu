// constant-memory:
// out[r][c] = gain[c] * (taps[0] * in[r][c] + taps[1] * in[r][c + 1] + ...).
// zh: constant-memory：
// zh: out[r][c] = gain[c] * (taps[0] * in[r][c] + taps[1] * in[r][c + 1] + …)。
// There are m taps. Beyond the end of a row there are zeros. m is at most 64,
// cols at most 4096.
// zh: 共 m 个抽头（tap）。超出行尾的部分按 0 算。m 不超过 64，
// zh: cols 不超过 4096。

const int MOST = 64, WIDEST = 4096;

// TODO: two small tables, and the wrong one is constant. Which one do all
// lanes read alike?
// zh: TODO：两张小表，放进常量内存的却是不该放的那张。
// zh: 哪一张是所有 lane 同时读同一个元素的？
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
    // taps and gain are device memory: the copy to a symbol has to say so.
    // zh: taps 和 gain 都在设备内存里：向符号拷贝时要写明方向。
    cudaMemcpyToSymbol(gains, gain, cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, taps, out, rows, cols,
                                                    m);
}
