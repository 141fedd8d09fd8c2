// timing: how long does the kernel `walk` take, and how many bytes per second
// does it get?
// zh: timing：核函数 walk 要用多长时间？它每秒得到多少字节？
#include <chrono>

// Each walker follows a chain through `next`, one read of 4 bytes after
// another. Nothing to do.
// zh: 每个线程沿着 next 里的链走：一次接一次地读 4 个字节。这里不用改。
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

// next and out are device memory, report is host memory.
// report[0]: microseconds of one run, with caches as they are when it
// runs often
// report[1]: GB/s, counting 4 bytes for each hop of each walker
// zh: next 和 out 是设备内存，report 是主机内存。
// zh: report[0]：运行一次的微秒数，缓存处于反复运行时的状态
// zh: report[1]：GB/s，每个线程每走一步算 4 个字节
void timing(const int *next, int *out, float *report, int n, int walkers,
            int hops) {
    int blocks = (walkers + 127) / 128;
    // TODO: what does this clock see? And is one run, the first one, enough?
    // zh: TODO：这只钟看到了什么？只跑一次，而且是头一次，够吗？
    auto begin = std::chrono::steady_clock::now();
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    auto end = std::chrono::steady_clock::now();
    double us = std::chrono::duration<double, std::micro>(end - begin).count();
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
