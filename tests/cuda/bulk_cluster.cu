// The copy engine in a cluster: a box and a range for several blocks at once, copies and values into another block's shared memory, barriers there.
// arch: sm_90
// expect: range for all 0 wrong
// expect: box for some 0 wrong
// expect: ring 0 wrong
// expect: posted 0 wrong
#include "tma.h"
#include <vector>
enum { N = 256, BLOCKS = 4 };
__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ unsigned in_block(unsigned at, unsigned r) {
    unsigned to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at), "r"(r));
    return to;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__global__ __cluster_dims__(BLOCKS) void for_all(const int *from, int *to) {
    __shared__ alignas(128) int s[N];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        bar_expect(AT(&bar), sizeof s);
    }
    meet();
    // Each block asks for a quarter, which all get.
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                     ::"r"(AT(s + rank() * N / BLOCKS)), "l"(from + rank() * N / BLOCKS), "r"(N), "r"(AT(&bar)), "h"((short)0xf) : "memory");
    bar_wait(AT(&bar), 0);
    for (int i = threadIdx.x; i < N; i += blockDim.x) to[blockIdx.x * N + i] = s[i] + rank();
    meet();
}
// Block 1 gives a box to blocks 0, 2 and 3.
__global__ __cluster_dims__(BLOCKS) void for_some(const __grid_constant__ CUtensorMap m, unsigned *to) {
    __shared__ alignas(1024) unsigned s[8 * 32];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (rank() != 1) bar_expect(AT(&bar), sizeof s);
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (rank() == 1) s[i] = 7;
    meet();
    if (threadIdx.x == 0 && rank() == 1)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                     ::"r"(AT(s)), "l"(&m), "r"(4), "r"(2), "r"(AT(&bar)), "h"((short)0xd) : "memory");
    if (rank() != 1) bar_wait(AT(&bar), 0);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) to[blockIdx.x * 256 + i] = s[i];
    meet();
}
// Each block copies its array into the next block's.
__global__ __cluster_dims__(BLOCKS) void ring(int *to) {
    __shared__ alignas(128) int mine[N], got[N];
    __shared__ alignas(8) unsigned long long bar;
    for (int i = threadIdx.x; i < N; i += blockDim.x) mine[i] = blockIdx.x * 1000 + i;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        bar_expect(AT(&bar), sizeof got);
    }
    proxy_fence();
    meet();
    unsigned next = (rank() + 1) % BLOCKS;
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(in_block(AT(got), next)), "r"(AT(mine)), "r"((unsigned)sizeof mine), "r"(in_block(AT(&bar), next)) : "memory");
    bar_wait(AT(&bar), 0);
    for (int i = threadIdx.x; i < N; i += blockDim.x) to[blockIdx.x * N + i] = got[i];
    meet();
}
// A word from each thread of the other blocks, and arrivals from afar.
__global__ __cluster_dims__(BLOCKS) void posted(int *to) {
    __shared__ int got[BLOCKS][32];
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(AT(&bar), 1 + BLOCKS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        bar_expect(AT(&bar), BLOCKS * 32 * 4);
    }
    meet();
    for (unsigned r = 0; r < BLOCKS; r++) {
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                     ::"r"(in_block(AT(&got[rank()][t]), r)), "r"(100 * rank() + t), "r"(in_block(AT(&bar), r)) : "memory");
        if (t == 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(AT(&bar), r)) : "memory");
    }
    bar_wait(AT(&bar), 0);
    for (int k = 0; k < BLOCKS; k++) to[(blockIdx.x * BLOCKS + k) * 32 + t] = got[k][t];
    meet();
}
template <class F> void check(const char *name, const void *to, int n, F want) {
    std::vector<int> r(n);
    CK(cudaGetLastError()), CK(cudaMemcpy(r.data(), to, 4 * n, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += r[i] != want(i);
    printf("%s %d wrong\n", name, wrong);
}
int main() {
    std::vector<int> h(32 * 64);
    for (size_t i = 0; i < h.size(); i++) h[i] = (int)(i * i);
    int *from, *to;
    CK(cudaMalloc(&from, 4 * h.size())), CK(cudaMalloc(&to, 4 * 2 * BLOCKS * N));
    CK(cudaMemcpy(from, h.data(), 4 * h.size(), cudaMemcpyHostToDevice));
    for_all<<<2 * BLOCKS, 64>>>(from, to);
    check("range for all", to, 2 * BLOCKS * N, [&](int i) { return h[i % N] + i / N % BLOCKS; });
    CUtensorMap m;
    cuuint64_t dim[] = {64, 32}, stride[] = {256};
    cuuint32_t box[] = {32, 8}, step[] = {1, 1};
    if (encoder()(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, from, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return 1;
    for_some<<<BLOCKS, 64>>>(m, (unsigned *)to);
    check("box for some", to, BLOCKS * 256, [&](int i) { return i / 256 == 1 ? 7 : h[(2 + i % 256 / 32) * 64 + 4 + i % 32]; });
    ring<<<2 * BLOCKS, 64>>>(to);
    check("ring", to, 2 * BLOCKS * N, [](int i) { int b = i / N; return (b / BLOCKS * BLOCKS + (b + BLOCKS - 1) % BLOCKS) * 1000 + i % N; });
    posted<<<BLOCKS, 32>>>(to);
    check("posted", to, BLOCKS * BLOCKS * 32, [](int i) { return i / 32 % BLOCKS * 100 + i % 32; });
}
