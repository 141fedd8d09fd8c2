// partition, solved: the host computes the weights; one block makes all rounds of a row.
// zh: partition 的参考答案：权重在主机上算，一行的所有轮次由一个块做完。
#include <cstdlib>

// One block for each row: its threads exchange samples through shared memory.
// zh: 每行一个块：块内的线程通过共享内存交换样本。
__global__ void rows_of(const float *in, const float *weight, float *out, int len, int rounds) {
    extern __shared__ float row[];
    int c = threadIdx.x, at = blockIdx.x * len + c;
    float v = c < len ? in[at] : 0;
    for (int r = 0; r < rounds; r++) {
        if (c < len) row[c] = v;
        __syncthreads();
        if (c < len)
            v = 0.25f * row[c > 0 ? c - 1 : c] + 0.5f * v + 0.25f * row[c < len - 1 ? c + 1 : c];
        __syncthreads();
    }
    if (c < len) out[at] = weight[blockIdx.x] * v;
}

void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len,
               int rounds) {
    // The host computes the weights: this is serial work, and `gain` is in the host's memory.
    // zh: 权重由主机来算：这是串行的工作，而且 gain 在主机内存里。
    float *w = (float *)malloc(rows * sizeof(float)), now = 0;
    for (int r = 0; r < rows; r++) w[r] = now = 0.998f * now + 0.002f * gain[r];
    cudaMemcpy(weight, w, rows * sizeof(float), cudaMemcpyHostToDevice);
    free(w);

    int threads = (len + 31) / 32 * 32;
    rows_of<<<rows, threads, len * sizeof(float)>>>(in, weight, out, len, rounds);
}
