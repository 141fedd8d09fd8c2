// reduce-1-divergent: out[b] is the sum of the 256 ints in[256*b] ...
// in[256*b + 255]; beyond n there is nothing to add.
//
// One block of 256 threads makes one sum in shared memory. The result is
// right. In each round half of the elements that are left are added to the
// other half; the test below picks the threads that do it.
// zh: out[b] 是 in[256*b] 到 in[256*b + 255] 这 256 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 每个块有 256 个线程，在共享内存里求出一个和，结果正确。
// zh: 每一轮把剩下元素的一半加到另一半上，由下面的条件挑选干活的线程。

const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        // TODO: in round 1 every other lane works, then every fourth ... so
        // every warp stays busy for five rounds. Let the *first* threads do
        // the same additions instead, and do without the division behind %.
        // zh: TODO：第一轮每隔一个 lane 有一个在干活，
        // zh: 然后每隔三个……于是每个 warp 都要陪跑五轮。
        // zh: 请改由编号最靠前的线程来做同样的加法，并去掉 % 背后的除法。
        if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
