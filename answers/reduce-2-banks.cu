// reduce-2-banks, solved: sequential addressing. Each round adds the second half to the first half: thread t adds element t + s to
// element t, so neighbouring lanes access neighbouring words. The order of the additions is new, but a sum of ints does not depend on it.
// zh: reduce-2-banks 的参考答案：顺序寻址。每一轮把后一半加到前一半上：线程 t 把元素 t + s 加到元素 t 上，
// zh: 所以相邻的 lane 访问相邻的字。加法的顺序变了，但整数求和的结果与顺序无关。
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
