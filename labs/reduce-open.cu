// reduce-open: *total is the sum of in[0] ... in[n - 1]. As fast as the
// memory allows.
// zh: *total 是 in[0] 到 in[n - 1] 的总和。目标：内存有多快，它就有多快。

const unsigned BLOCK = 256;

// The sum over the lanes of a warp, in lane 0.
// zh: 一个 warp 各 lane 的和，放在 lane 0。
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK / 32];
    unsigned tid = threadIdx.x;
    int mine = 0;
    // TODO: one 4-byte load per thread is under way at a time. Load int4
    // (16 bytes), several before the first is used; mind the end.
    // zh: TODO：现在每个线程同时只有一次 4 字节的读取在途。
    // zh: 请用 int4（16 字节）读取，并且先发出几次读取再使用第一个结果；
    // zh: 注意处理结尾。
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x)
        mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    // The whole first warp: every lane named in the mask must take part.
    // zh: 整个第一个 warp：掩码里点名的 lane 都必须参加。
    if (tid < 32) {
        mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0);
        if (tid == 0) atomicAdd(total, mine);
    }
}

void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 2 * processors;
    // TODO: are two blocks per multiprocessor enough? And what does a second
    // operation on the device (the memset) cost?
    // zh: TODO：每个多处理器两个块够吗？设备上多出来的这次 memset 又要花
    // zh: 多少时间？
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
