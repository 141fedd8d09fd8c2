// churn: `steps` rounds of smoothing, out = in smoothed so often. Each round
// needs a scratch array.
// zh: churn：把 in 平滑 steps 轮，结果写入 out。每一轮都要用一个临时数组。
const int BLOCK = 256;

// to[i] = the mean of from[i - 1], from[i], from[i + 1]; the ends count twice.
// Nothing to do here.
// zh: to[i] 是 from[i - 1]、from[i]、from[i + 1] 的均值，两端的元素重复算一次。
// zh: 这里不用改。
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

// in and out are device memory.
// zh: in 和 out 都是设备内存。
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        // TODO: what of this belongs into the loop?
        // zh: TODO：这里面哪些该留在循环里？
        float *scratch;
        cudaMalloc(&scratch, n * sizeof(float));
        copy<<<blocks, BLOCK>>>(out, scratch, n);
        smooth<<<blocks, BLOCK>>>(scratch, out, n);
        cudaFree(scratch);
    }
}
