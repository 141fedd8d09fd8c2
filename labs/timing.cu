// timing: how long does the kernel `walk` take, and how many bytes does it
// read per second?
// zh: timing：核函数 walk 要用多长时间？它每秒读多少字节？
#include <chrono>

// Each thread walks through `next`: the number that it reads is the index of
// its next read. Do not change this kernel.
// zh: 每个线程在 next 里走：读到的数就是下一次读取的下标。这个核函数不用改。
__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

// `next` and `out` are device memory; `report` is host memory.
// report[0]: the time of one run in microseconds, after other runs have filled
// the caches
// report[1]: the bandwidth in GB/s, with 4 bytes for each hop of each thread
// zh: next 和 out 是设备内存，report 是主机内存。
// zh: report[0]：运行一次的微秒数，此前的运行已经填充了缓存
// zh: report[1]：带宽，单位 GB/s，每个线程每走一步算 4 个字节
void timing(const int *next, int *out, float *report, int n, int walkers,
            int hops) {
    int blocks = (walkers + 127) / 128;
    // TODO: what does this clock measure? Is the first run enough?
    // zh: TODO：这个时钟测到的是什么？只测第一次运行够吗？
    auto begin = std::chrono::steady_clock::now();
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    auto end = std::chrono::steady_clock::now();
    double us = std::chrono::duration<double, std::micro>(end - begin).count();
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
