// st.async and red.async whose addresses are generic, vectors too, and mbarriers of other blocks by generic addresses: arrive, arrive.expect_tx,
// expect_tx, complete_tx, arrive_drop. Expected is what each block of the cluster sent, counted on the host.
// arch: sm_90
// expect: words 0 wrong
// expect: vectors 0 wrong
// expect: sums 0 wrong
// expect: arrivals 0 wrong
// expect: transactions 0 wrong
#include "tma.h"
#include <vector>
enum { BLOCKS = 4 };
typedef unsigned long long u64;
__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
template <class T> __device__ u64 in_block(T *at, unsigned r) {
    u64 to;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(at), "r"(r));
    return to;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ void start(u64 &bar, unsigned n, unsigned bytes) {
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), n);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (bytes) bar_expect(AT(&bar), bytes);
    }
    meet();
}
// Each thread sends a word to each block.
__global__ __cluster_dims__(BLOCKS) void words(unsigned *to) {
    __shared__ unsigned got[BLOCKS][32];
    __shared__ alignas(8) u64 bar;
    int t = threadIdx.x;
    start(bar, 1, BLOCKS * 32 * 4);
    for (unsigned r = 0; r < BLOCKS; r++)
        asm volatile("st.async.weak.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                     ::"l"(in_block(&got[rank()][t], r)), "r"(1000 * blockIdx.x + 10 * t + r), "l"(in_block(&bar, r)) : "memory");
    bar_wait(AT(&bar), 0);
    for (int k = 0; k < BLOCKS; k++) to[(blockIdx.x * BLOCKS + k) * 32 + t] = got[k][t];
    meet();
}
// 16 bytes as four words, 16 as two of 64 bits, with an offset in the address.
__global__ __cluster_dims__(BLOCKS) void vectors(unsigned *to) {
    __shared__ alignas(16) unsigned got[32][8];
    __shared__ alignas(8) u64 bar;
    int t = threadIdx.x;
    start(bar, 1, 32 * 32);
    unsigned r = (rank() + 1) % BLOCKS, x = 1000 * rank() + 8 * t;
    u64 at = in_block(got[t], r), b = in_block(&bar, r);
    asm volatile("st.async.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];"
                 ::"l"(at), "r"(x), "r"(x + 1), "r"(x + 2), "r"(x + 3), "l"(b) : "memory");
    asm volatile("st.async.mbarrier::complete_tx::bytes.v2.b64 [%0+16], {%1, %2}, [%3];"
                 ::"l"(at), "l"(x + 4 | (u64)(x + 5) << 32), "l"(x + 6 | (u64)(x + 7) << 32), "l"(b) : "memory");
    bar_wait(AT(&bar), 0);
    for (int k = 0; k < 8; k++) to[(blockIdx.x * 32 + t) * 8 + k] = got[t][k];
    meet();
}
// Words of block 0 that all threads of all blocks add to, of which they take the greatest, and 64 bits.
__global__ __cluster_dims__(BLOCKS) void sums(unsigned *to) {
    __shared__ alignas(8) u64 long_sum;
    __shared__ unsigned sum, most, bits;
    __shared__ alignas(8) u64 bar;
    int t = threadIdx.x;
    if (t == 0) long_sum = 1ull << 40, sum = 7, most = 0, bits = 0;
    start(bar, 1, rank() ? 0 : BLOCKS * 32 * 20);
    u64 b = in_block(&bar, 0);
    unsigned x = 32 * rank() + t;
#define RED(how, c, at, v) asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes." how " [%0], %1, [%2];" ::"l"(in_block(&at, 0)), c(v), "l"(b) : "memory")
    RED("add.u32", "r", sum, x);
    RED("max.u32", "r", most, x * 3);
    RED("or.b32", "r", bits, 1u << x % 32);
    RED("add.u64", "l", long_sum, (u64)x << 20);
    if (rank() == 0) {
        bar_wait(AT(&bar), 0);
        if (t == 0) to[0] = sum, to[1] = most, to[2] = bits, to[3] = (unsigned)(long_sum >> 20);
    }
    meet();
}
// All threads arrive at all blocks' barriers, one of each block for good.
__global__ __cluster_dims__(BLOCKS) void arrivals(unsigned *to) {
    __shared__ alignas(8) u64 bar;
    __shared__ unsigned posted;
    int t = threadIdx.x;
    if (t == 0) posted = 0;
    start(bar, BLOCKS * 32, 0);
    for (unsigned r = 0; r < BLOCKS; r++) {
        atomicAdd((unsigned *)in_block(&posted, r), 1);
        if (t) asm volatile("mbarrier.arrive.release.cluster.b64 _, [%0];" ::"l"(in_block(&bar, r)) : "memory");
        else asm volatile("mbarrier.arrive_drop.release.cluster.b64 _, [%0];" ::"l"(in_block(&bar, r)) : "memory");
    }
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cluster.b64 p, [%0], 0; @!p bra again; }" ::"l"(&bar) : "memory");
    unsigned seen = posted;
    meet(); // the next phase has BLOCKS arrivals less
    if (t) for (unsigned r = 0; r < BLOCKS; r++) asm volatile("mbarrier.arrive.release.cluster.b64 _, [%0];" ::"l"(in_block(&bar, r)) : "memory");
    bar_wait(AT(&bar), 1);
    to[blockIdx.x * 32 + t] = seen;
    meet();
}
// The bytes that block 0's barrier waits for are told to it, and done, from afar.
__global__ __cluster_dims__(BLOCKS) void transactions(unsigned *to) {
    __shared__ alignas(8) u64 bar;
    int t = threadIdx.x;
    start(bar, BLOCKS, 0);
    if (t == 0) {
        u64 b = in_block(&bar, 0);
        asm volatile("mbarrier.expect_tx.relaxed.cluster.b64 [%0], 64;" ::"l"(b) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.b64 _, [%0], 32;" ::"l"(b) : "memory");
    }
    meet();
    unsigned early = 0;
    if (rank() == 0)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(early) : "r"(AT(&bar)) : "memory");
    meet();
    if (t == 0) asm volatile("mbarrier.complete_tx.relaxed.cluster.b64 [%0], 96;" ::"l"(in_block(&bar, 0)) : "memory");
    if (rank() == 0) bar_wait(AT(&bar), 0), to[t] = 2 + early;
    meet();
}
template <class F> void check(const char *name, const void *to, int n, F want) {
    std::vector<unsigned> r(n);
    CK(cudaGetLastError()), CK(cudaMemcpy(r.data(), to, 4 * n, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += r[i] != (unsigned)want(i);
    printf("%s %d wrong\n", name, wrong);
}
int main() {
    unsigned *to;
    CK(cudaMalloc(&to, 65536));
    words<<<2 * BLOCKS, 32>>>(to);
    check("words", to, 2 * BLOCKS * BLOCKS * 32, [](int i) {
        int t = i % 32, k = i / 32 % BLOCKS, b = i / 32 / BLOCKS;
        return 1000 * (b / BLOCKS * BLOCKS + k) + 10 * t + b % BLOCKS;
    });
    vectors<<<BLOCKS, 32>>>(to);
    check("vectors", to, BLOCKS * 256, [](int i) { return 1000 * ((i / 256 + BLOCKS - 1) % BLOCKS) + i % 256; });
    sums<<<BLOCKS, 32>>>(to);
    const int all = 32 * BLOCKS;
    check("sums", to, 4, [&](int i) { return i == 0 ? 7 + all * (all - 1) / 2 : i == 1 ? 3 * (all - 1) : i == 2 ? -1 : (1 << 20) + all * (all - 1) / 2; });
    arrivals<<<BLOCKS, 32>>>(to);
    check("arrivals", to, BLOCKS * 32, [](int) { return 32 * BLOCKS; });
    transactions<<<BLOCKS, 32>>>(to);
    check("transactions", to, 32, [](int) { return 2; });
}
