// reduce-open: *total is the sum of in[0] ... in[n - 1]. The goal is to sum as
// fast as the memory delivers.
// zh: *total 是 in[0] 到 in[n - 1] 的总和。目标：求和的速度接近内存带宽的上限。

const unsigned BLOCK = 256;

// Returns the sum of all lanes of a warp, in lane 0.
// zh: 返回一个 warp 所有 lane 的和，结果在 lane 0。
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK / 32];
    unsigned tid = threadIdx.x;
    int mine = 0;
    // TODO: each thread has only one 4-byte load under way at a time. Load
    // several int4 (16 bytes each) before you use any. Add the last n % 4, too.
    // zh: TODO：现在每个线程同时只有一次 4 字节的读取在途。
    // zh: 请用 int4（16 字节）读取，先发出几次读取，再使用第一个结果。
    // zh: 不要漏掉最后 n % 4 个元素。
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x)
        mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    // All lanes of the first warp: the mask names them, so they must take part.
    // zh: 第一个 warp 的所有 lane：掩码指明了这些 lane，所以都必须参加。
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
    // TODO: are two blocks per multiprocessor enough? The memset is a second
    // operation on the device. How much time does the memset cost?
    // zh: TODO：每个多处理器两个块够吗？memset 是设备上的另一次操作，
    // zh: 要花多少时间？
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
