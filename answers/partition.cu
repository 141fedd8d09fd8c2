// partition, solved: the chain on the host, all rounds of a row in one block.
// zh: partition 的参考答案：链在主机上算，一行的所有轮次在一个块里做完。
#include <cstdlib>

// One block for each row: its threads talk through shared memory, and nobody else has to.
// zh: 每行一个块：块内线程通过共享内存通信，和别的块无关。
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
    // The chain belongs to the host: its data are there, and it is serial.
    // zh: 这条链归主机：数据在主机上，而且是串行的。
    float *w = (float *)malloc(rows * sizeof(float)), now = 0;
    for (int r = 0; r < rows; r++) w[r] = now = 0.75f * now + 0.25f * gain[r];
    cudaMemcpy(weight, w, rows * sizeof(float), cudaMemcpyHostToDevice);
    free(w);

    int threads = (len + 31) / 32 * 32;
    rows_of<<<rows, threads, len * sizeof(float)>>>(in, weight, out, len, rounds);
}
