// reduce-1-divergent, solved: the additions are the same, but in each round
// thread t does the t-th of them. So the first 128, 64, 32 ... threads add.
// They fill whole warps, and a warp diverges in only the last five rounds.
// (Neighbouring threads access elements that are 2 * s apart, which causes
// bank conflicts. The next lab removes them.)
// zh: reduce-1-divergent 的参考答案：加法没有变，但每一轮由线程 t 做第 t 次加法，所以做加法的是最前面的
// zh: 128、64、32……个线程。这些线程占满若干个 warp，只有最后五轮会让一个 warp 发散。
// zh: （相邻线程访问的元素相隔 2 * s，因此有存储体冲突，下一个实验来消除。）
const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < blockDim.x) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
