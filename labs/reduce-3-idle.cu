// reduce-3-idle: out[b] is the sum of the 512 ints in[512*b] ...
// in[512*b + 511]; beyond n there is nothing to add.
//
// A block of 512 threads sums 512 elements. From the first round on, 256 of
// these threads are idle.
// zh: out[b] 是 in[512*b] 到 in[512*b + 511] 这 512 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 一个块用 512 个线程求 512 个元素的和，从第一轮起就有 256 个线程空闲。

// A block needs only this many threads.
// zh: 一个块只需要这么多线程。
const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    // TODO: use 256 threads. Each thread adds two elements while it loads
    // them, and stores only their sum.
    // zh: TODO：改用 256 个线程。每个线程在读入时就把两个元素相加，
    // zh: 只存这两个元素的和。
    __shared__ int sum[2 * BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, 2 * BLOCK>>>(in, out, n);
}
