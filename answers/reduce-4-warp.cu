// reduce-4-warp, solved: the last warp adds the last 64 elements by itself, with warp barriers only.
// zh: reduce-4-warp 的参考答案：最后 64 个元素由最后一个 warp 自己相加，只用 warp 级屏障。
const unsigned BLOCK = 256; // threads
// zh: 线程数

// The 32 lanes of one warp add sum[0] ... sum[63]. Each step keeps its result in a register, and a __syncwarp() stands between every read
// of one lane and the write of another: reading before overwriting, writing before reading.
// zh: 一个 warp 的 32 个 lane 相加 sum[0] 到 sum[63]。每一步的结果留在寄存器里；一个 lane 的读与
// zh: 另一个 lane 的写之间都有 __syncwarp()：先读后覆盖，先写后读。
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
