// churn: smooths the array `in` for `steps` rounds and writes the result to
// `out`. Each round needs a scratch array.
// zh: churn：把 in 平滑 steps 轮，结果写入 out。每一轮都要用一个临时数组。
const int BLOCK = 256;

// to[i] = the mean of from[i - 1], from[i] and from[i + 1]. The first and the
// last element count twice. Do not change this kernel.
// zh: to[i] 是 from[i - 1]、from[i]、from[i + 1] 的均值，第一个和最后一个元素
// zh: 算两次。这个核函数不用改。
__global__ void smooth(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) /
            3.0f;
}

__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

// `in` and `out` are device memory.
// zh: in 和 out 都是设备内存。
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        // TODO: which of these lines have to be inside the loop?
        // zh: TODO：下面这些行里，哪些必须留在循环里？
        float *scratch;
        cudaMalloc(&scratch, n * sizeof(float));
        copy<<<blocks, BLOCK>>>(out, scratch, n);
        smooth<<<blocks, BLOCK>>>(scratch, out, n);
        cudaFree(scratch);
    }
}
