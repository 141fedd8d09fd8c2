// reduce-4-warp, solved: only warp 0 adds the last 64 elements, and it needs only warp barriers.
// zh: reduce-4-warp 的参考答案：最后 64 个元素只由 0 号 warp 相加，只用 warp 级屏障。
const unsigned BLOCK = 256; // threads
// zh: 线程数

// The 32 lanes of one warp add sum[0] ... sum[63]. Each step keeps its result in a register. One __syncwarp() separates the reads of a
// step from its writes, and another one separates these writes from the reads of the next step.
// zh: 一个 warp 的 32 个 lane 把 sum[0] 到 sum[63] 加起来。每一步的结果留在寄存器里。
// zh: 一个 __syncwarp() 把这一步的读和写分开，另一个把这一步的写和下一步的读分开。
__device__ void warp_sum(int *sum, unsigned lane) {
    int mine = sum[lane];
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid < 32) warp_sum(sum, tid);
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, BLOCK>>>(in, out, n);
}
