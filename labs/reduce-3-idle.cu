// reduce-3-idle: out[b] is the sum of the 512 ints in[512*b] ...
// in[512*b + 511]; beyond n there is nothing to add.
//
// A block of 512 threads sums 512 elements. In the first round 256 of the
// threads are already idle.
// zh: out[b] 是 in[512*b] 到 in[512*b + 511] 这 512 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 一个块有 512 个线程，对 512 个元素求和，第一轮就有 256 个线程闲着。

// The number of threads that would do.
// zh: 其实够用的线程数。
const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    // TODO: let 256 threads do it: each adds two elements as it loads them,
    // and stores their sum.
    // zh: TODO：改用 256 个线程：每个线程在读入时就把两个元素相加，
    // zh: 只存它们的和。
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
