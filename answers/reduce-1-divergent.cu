// reduce-1-divergent, solved: the same additions on the same elements, but
// thread t makes the t-th of them. The working threads are then the first
// 128, 64, 32 ...: whole warps work or rest, and only the last five rounds
// split one warp. (The elements it touches lie 2*s apart, which the banks of
// shared memory do not like: that is the next lab.)
// zh: reduce-1-divergent 的参考答案：同样的加法，同样的元素，但由线程 t 做其中的第 t 个。于是工作的线程是前 128、64、32……个：
// zh: 整个 warp 要么工作要么休息，只有最后五轮会让一个 warp 发散。（它访问的元素相隔 2*s，共享
// zh: 内存的存储体不喜欢这样：那是下一个实验。）
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
