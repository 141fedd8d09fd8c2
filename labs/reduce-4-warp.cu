// reduce-4-warp: out[b] is the sum of the 512 ints in[512*b] ...
// in[512*b + 511]; beyond n there is nothing to add.
//
// When 32 or fewer threads add, they are all in one warp. The other seven
// warps need not wait for this warp any more.
// zh: out[b] 是 in[512*b] 到 in[512*b + 511] 这 512 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 做加法的线程不超过 32 个时，都在同一个 warp 里，
// zh: 另外七个 warp 就不必再等这个 warp。

const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    // TODO: end this loop when only one warp adds. Let this warp do the other
    // rounds without block barriers. The lanes of a warp need not run in step:
    // put a __syncwarp() between one lane's write and another lane's read, and
    // between a read and the next write.
    // zh: TODO：只剩一个 warp 做加法时结束这个循环，
    // zh: 余下的各轮由这个 warp 完成，不再用块级屏障。
    // zh: 同一个 warp 的 lane 不一定步调一致：一个 lane 的写与另一个 lane 的读
    // zh: 之间、读与接下来的写之间，都必须有 __syncwarp()。
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
