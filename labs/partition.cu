// partition: smooths each row of samples `rounds` times, then multiplies it by
// the weight of the row.
// zh: partition：每行样本平滑 rounds 轮，再乘以这一行的权重。
// weight[r] = 0.998 * weight[r - 1] + 0.002 * gain[r]
// zh: weight[r] = 0.998 * weight[r - 1] + 0.002 * gain[r]
#include <cstdlib>

// A single thread does this, because each weight needs the one before.
// zh: 只用一个线程，因为每个权重都要用到前一个。
__global__ void chain(const float *gain, float *weight, int rows) {
    float now = 0;
    for (int r = 0; r < rows; r++)
        weight[r] = now = 0.998f * now + 0.002f * gain[r];
}

// One round. The first and the last sample of a row count twice.
// zh: 平滑一轮。每行第一个和最后一个样本算两次。
__global__ void smooth(const float *from, float *to, int rows, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * len) return;
    int c = i % len;
    float left = from[c > 0 ? i - 1 : i], right = from[c < len - 1 ? i + 1 : i];
    to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
}

__global__ void scale(const float *from, const float *weight, float *to,
                      int rows, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * len) to[i] = weight[i / len] * from[i];
}

// `gain` is host memory; `in`, `weight` and `out` are device memory. `len` is
// at most 1024.
// zh: gain 是主机内存；in、weight 和 out 是设备内存。len 不超过 1024。
void partition(const float *gain, const float *in, float *weight, float *out,
               int rows, int len, int rounds) {
    // TODO: which part should the host do, and which part the device? Which
    // threads have to exchange data?
    // zh: TODO：哪些应当由主机做，哪些应当由设备做？哪些线程要交换数据？
    int n = rows * len, blocks = (n + 255) / 256;
    float *g, *even, *odd;
    cudaMalloc(&g, rows * sizeof(float));
    cudaMalloc(&even, n * sizeof(float));
    cudaMalloc(&odd, n * sizeof(float));

    cudaMemcpy(g, gain, rows * sizeof(float), cudaMemcpyHostToDevice);
    chain<<<1, 1>>>(g, weight, rows);

    const float *from = in;
    for (int r = 0; r < rounds; r++) {
        float *to = r % 2 ? odd : even;
        smooth<<<blocks, 256>>>(from, to, rows, len);
        from = to;
    }
    scale<<<blocks, 256>>>(from, weight, out, rows, len);
    cudaFree(g);
    cudaFree(even);
    cudaFree(odd);
}
