// reduce-1-divergent: out[b] is the sum of the 256 ints in[256*b] ...
// in[256*b + 255]; beyond n there is nothing to add.
//
// A block of 256 threads computes one sum in shared memory. The result is
// right. Each round adds half of the remaining elements to the other half.
// The condition in the loop selects the threads that do these additions.
// zh: out[b] 是 in[256*b] 到 in[256*b + 255] 这 256 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 每个块有 256 个线程，在共享内存里求出一个和，结果是正确的。
// zh: 每一轮把剩下元素的一半加到另一半上，循环里的条件选出做加法的线程。

const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        // TODO: in round 1 every second lane adds, in round 2 every fourth, so
        // all warps have to add for five rounds. Let the *first* threads of
        // the block do the same additions, and do not use %.
        // zh: TODO：第一轮每两个 lane 有一个做加法，第二轮每四个有一个，
        // zh: 所以前五轮里每个 warp 都要执行加法。
        // zh: 请改由块里最前面的线程来做同样的加法，并且不用 %。
        if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
