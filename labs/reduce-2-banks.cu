// reduce-2-banks: out[b] is the sum of the 256 ints in[256*b] ...
// in[256*b + 255]; beyond n there is nothing to add.
//
// The first threads of the block add, but thread t accesses element 2 * s * t.
// Shared memory has 32 banks, and word w lies in bank w % 32.
// zh: out[b] 是 in[256*b] 到 in[256*b + 255] 这 256 个 int 的和；
// zh: n 之后没有元素可加。
// zh:
// zh: 由块里最前面的线程做加法，但线程 t 访问的是第 2 * s * t 个元素。
// zh: 共享内存有 32 个存储体，第 w 个字在存储体 w % 32 里。

const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        // TODO: choose other pairs, so that the lanes of a warp always read
        // and write neighbouring words.
        // zh: TODO：换一种配对方式，让一个 warp 的 lane 总是读写相邻的字。
        unsigned left = 2 * s * tid;
        if (left < blockDim.x) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
