// reduce-4-warp: out[b] is the sum of the 512 ints in[512*b] ...
// in[512*b + 511]; beyond n there is nothing to add.
//
// Once 32 or fewer threads work, they are all of one warp. Seven other warps
// need not wait for it any more.
// zh: out[b] 是 in[512*b] 到 in[512*b + 511] 这 512 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 当干活的线程只剩 32 个以内时，它们都在同一个 warp 里，
// zh: 另外七个 warp 就不必再陪着等了。

const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    // TODO: end this loop when one warp is left, and let that warp do the rest
    // without block barriers. Between one lane's write and another lane's
    // read, and between a read and the next write, there must be a
    // __syncwarp(): the lanes of a warp need not run in step.
    // zh: TODO：只剩一个 warp 时结束这个循环，余下的由这个 warp 自己完成，
    // zh: 不再用块级屏障。一个 lane 的写与另一个 lane 的读之间、
    // zh: 读与接下来的写之间，都必须有 __syncwarp()：同一个 warp 的 lane 并不保
    // zh: 证步调一致。
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, BLOCK>>>(in, out, n);
}
