// ilp: hash[i] is key[i], stretched: `rounds` times h = (h ^ k) * PRIME, for
// k = 0, 1, 2 ...
//
// No mix can start before the last one is done, some four cycles for each of
// its instructions. The launch is given: one warp for each scheduler of a
// multiprocessor (think of a kernel whose registers or shared memory leave no
// room for more). What else could fill the gaps?
// zh: hash[i] 是 key[i] 拉伸之后的结果：做 rounds 次 h = (h ^ k) * PRIME，
// zh: k = 0、1、2……
// zh:
// zh: 每次混合都要等上一次完成，其中每条指令约四个周期。
// zh: 启动配置是给定的：多处理器的每个调度器只有一个 warp（设想核函数的寄存器或
// zh: 共享内存用得太多，再也放不下别的）。还能用什么来填补空档？

// One block for each multiprocessor, one warp for each of its four schedulers.
// zh: 每个多处理器一个块，它的四个调度器各有一个 warp。
const int BLOCK = 128;
const unsigned PRIME = 16777619u;

__global__ void stretch(const unsigned *key, unsigned *hash, int rounds,
                        int n) {
    // TODO: let a thread stretch several keys side by side, in
    // registers: their chains do not depend on each other. No more
    // threads, no more blocks.
    // zh: TODO：让一个线程在寄存器里同时拉伸几个 key：它们的链互不依赖。
    // zh: 不增加线程，也不增加块。
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        unsigned h = key[i];
        for (int k = 0; k < rounds; k++) h = (h ^ k) * PRIME;
        hash[i] = h;
    }
}

void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    stretch<<<processors, BLOCK>>>(key, hash, rounds, n);
}
