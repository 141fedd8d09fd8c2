// ilp: hash[i] is key[i] after `rounds` rounds of h = (h ^ k) * PRIME, with
// k = 0, 1, 2 ...
//
// No round can start before the previous one is done, and each instruction of a
// round takes about four cycles. The launch is given: each scheduler of a
// multiprocessor has only one warp. (Think of a kernel that needs too many
// registers for more warps.) What else can fill the waiting time?
// zh: hash[i] 是 key[i] 做 rounds 轮 h = (h ^ k) * PRIME 的结果，
// zh: k = 0、1、2……
// zh:
// zh: 每一轮都要等上一轮完成，轮中的每条指令约要四个周期。启动配置是给定的：
// zh: 多处理器的每个调度器只有一个 warp。（设想核函数用的寄存器太多，
// zh: 放不下更多 warp。）还能用什么来填满等待的时间？

// One block for each multiprocessor, one warp for each of its four schedulers.
// zh: 每个多处理器一个块，它的四个调度器各有一个 warp。
const int BLOCK = 128;
const unsigned PRIME = 16777619u;

__global__ void stretch(const unsigned *key, unsigned *hash, int rounds,
                        int n) {
    // TODO: let each thread compute the hashes of several keys at the
    // same time, in registers: their chains do not depend on each other.
    // Keep the number of threads and blocks.
    // zh: TODO：让每个线程在寄存器里同时计算几个 key 的散列值：
    // zh: 这些链互不依赖。线程数和块数都不变。
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
