// reduce-2-banks, solved: sequential addressing. In each round the upper half is added to the lower half: thread t adds element t + s to
// element t, so neighbouring lanes touch neighbouring words. The order of the additions has changed, which for integers changes nothing.
// zh: reduce-2-banks 的参考答案：顺序寻址。每一轮把上半部分加到下半部分：线程 t 把元素 t + s 加到元素 t，相邻的 lane 访问
// zh: 相邻的字。加法的顺序变了，对整数没有影响。
const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
