// What PTX says of a cluster's addresses: mapa, getctarank, isspacep, loads, stores and atomics of all widths in the window of the cluster
// and by generic addresses, and the special registers.
// arch: sm_90
// expect: addresses: 0 wrong
// expect: accesses: 0 wrong
// expect: atomics: 0 wrong
// expect: registers: 0 wrong
// expect: mbarrier: 0 wrong
#include "common.h"
#include <cstdint>

static __device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
static __device__ void sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ uint32_t narrow(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
static __device__ uint32_t mapa(uint32_t a, unsigned r) {
    uint32_t d;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(r));
    return d;
}
static __device__ bool is(uint64_t p, int what) {
    unsigned r;
    if (what == 0) asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));
    if (what == 1) asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));
    if (what == 2) asm volatile("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));
    return r;
}

__global__ void __cluster_dims__(4) addresses(int *wrong) {
    __shared__ int s[8];
    unsigned me = rank(), other = (me + 1) % 4, r;
    uint64_t generic, wide, back;
    uint32_t a = mapa(narrow(&s[3]), other), own = mapa(narrow(&s[3]), me);
    int bad = own != narrow(&s[3]) || a == own; // a shared::cta address is a shared::cluster address of its block
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&s[3]), "r"(other));
    asm volatile("mapa.shared::cluster.u64 %0, %1, %2;" : "=l"(wide) : "l"((uint64_t)narrow(&s[3])), "r"(other));
    asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(back) : "l"((uint64_t)a));
    bad += wide != a || back != generic;
    asm volatile("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(back) : "l"(generic));
    bad += back != a;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(a));
    bad += r != other;
    asm volatile("getctarank.u64 %0, %1;" : "=r"(r) : "l"(generic));
    bad += r != other;
    asm volatile("getctarank.u64 %0, %1;" : "=r"(r) : "l"(&s[0]));
    bad += r != me;
    bad += is(generic, 0) || !is(generic, 1) || is(generic, 2);
    bad += !is((uint64_t)&s[3], 0) || !is((uint64_t)&s[3], 1) || is((uint64_t)&s[3], 2);
    bad += is((uint64_t)wrong, 0) || is((uint64_t)wrong, 1) || !is((uint64_t)wrong, 2);
    // an address of a block means that block wherever it is used
    __shared__ int *hers;
    s[3] = 50 + me;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&hers), "r"(other));
    sync();
    *(int **)generic = &s[3];
    sync();
    bad += *hers != 50 + (int)((me + 3) % 4);
    sync();
    if (bad) atomicAdd(wrong, 1);
}

#define LOAD(type, reg, space, from, to) asm volatile("ld." space type " %0, [%1];" : "=" reg(to) : from : "memory")
static __device__ int far_[2];
__global__ void __cluster_dims__(2) accesses(int *wrong) {
    __shared__ __align__(16) unsigned char bytes[1024];
    unsigned me = rank(), t = threadIdx.x;
    for (int i = 0; i < 32; i++) bytes[t * 32 + i] = (unsigned char)(me * 128 + t + i);
    sync();
    uint32_t a = mapa(narrow(bytes + t * 32), me ^ 1), u32, v[4];
    uint64_t g, u64, w[2];
    unsigned short u16;
    int s8, bad = 0;
    unsigned base = (me ^ 1) * 128 + t;
    auto byte = [&](unsigned i) { return (uint64_t)((base + i) & 255); };
    auto word = [&](unsigned i, unsigned n) {
        uint64_t x = 0;
        for (unsigned k = 0; k < n; k++) x |= byte(i + k) << 8 * k;
        return x;
    };
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(g) : "l"(bytes + t * 32), "r"(me ^ 1));
    LOAD("u32", "r", "shared::cluster.", "r"(a + 4), u32);
    bad += u32 != word(4, 4);
    LOAD("u64", "l", "shared::cluster.", "r"(a + 8), u64);
    bad += u64 != word(8, 8);
    LOAD("u16", "h", "shared::cluster.", "r"(a + 2), u16);
    bad += u16 != word(2, 2);
    LOAD("s8", "r", "shared::cluster.", "r"(a + 1), s8);
    bad += s8 != (signed char)byte(1);
    LOAD("u32", "r", "volatile.shared::cluster.", "r"(a + 12), u32);
    bad += u32 != word(12, 4);
    LOAD("u32", "r", "acquire.cluster.shared::cluster.", "r"(a + 16), u32);
    bad += u32 != word(16, 4);
    asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a) : "memory");
    for (int k = 0; k < 4; k++) bad += v[k] != word(4 * k, 4);
    asm volatile("ld.v2.u64 {%0,%1}, [%2];" : "=l"(w[0]), "=l"(w[1]) : "l"(g + 16) : "memory");
    for (int k = 0; k < 2; k++) bad += w[k] != word(16 + 8 * k, 8);
    sync();
    // stores, of the same widths, by lanes that point at both blocks and at global memory
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(a), "r"(me * 1000 + t) : "memory");
    asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(a + 8), "l"((uint64_t)me << 40 | t) : "memory");
    asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(a + 17), "r"(200 + me) : "memory");
    asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(a + 20), "r"(t * 3) : "memory");
    asm volatile("st.v2.u32 [%0], {%1,%2};" ::"l"(g + 24), "r"(t), "r"(me) : "memory");
    sync();
    unsigned char *mine = bytes + t * 32;
    unsigned from = me ^ 1;
    bad += *(uint32_t *)mine != from * 1000 + t || *(uint64_t *)(mine + 8) != ((uint64_t)from << 40 | t);
    bad += mine[17] != 200 + from || mine[16] != ((me * 128 + t + 16) & 255) || *(uint32_t *)(mine + 20) != t * 3;
    bad += *(uint32_t *)(mine + 24) != t || *(uint32_t *)(mine + 28) != from;
    sync();
    __shared__ int mixed;
    mixed = 0;
    far_[me] = 0;
    __threadfence();
    sync();
    int *p = t % 3 == 0 ? &mixed : t % 3 == 1 ? (int *)(g - (uint64_t)(bytes + t * 32) + (uint64_t)&mixed) : &far_[me];
    atomicAdd(p, 1);
    sync();
    bad += mixed != 11 + 11 || far_[me] != 10; // of 32 lanes 0, 3 .. 30; 1, 4 .. 31; 2, 5 .. 29
    if (bad) atomicAdd(wrong, 1);
    sync();
}

__global__ void __cluster_dims__(4) atomics(int *wrong) {
    __shared__ uint32_t n, most, bits, lock, turns;
    __shared__ uint64_t sum;
    __shared__ float f;
    unsigned me = rank(), t = threadIdx.x, old;
    n = most = bits = lock = turns = 0, sum = 0, f = 0;
    sync();
    int bad = 0;
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(mapa(narrow(&n), (me + 1) % 4)), "r"(2) : "memory");
    bad += old % 2;
    asm volatile("red.shared::cluster.max.u32 [%0], %1;" ::"r"(mapa(narrow(&most), 2)), "r"(me * 100 + t) : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.or.b32 [%0], %1;" ::"r"(mapa(narrow(&bits), 0)), "r"(1u << t) : "memory");
    asm volatile("red.shared::cluster.add.u64 [%0], %1;" ::"r"(mapa(narrow(&sum), 3)), "l"((uint64_t)t << 33) : "memory");
    asm volatile("red.shared::cluster.add.f32 [%0], %1;" ::"r"(mapa(narrow(&f), 1)), "f"(0.5f) : "memory");
    if (t == 0) { // a lock in block 0 that all four take
        uint32_t there = mapa(narrow(&lock), 0), count = mapa(narrow(&turns), 0), v;
        do asm volatile("atom.acquire.cluster.shared::cluster.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "r"(there) : "memory");
        while (old);
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(count) : "memory");
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(count), "r"(v + 1) : "memory");
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        asm volatile("atom.release.cluster.shared::cluster.exch.b32 %0, [%1], 0;" : "=r"(old) : "r"(there) : "memory");
    }
    sync();
    bad += n != 64;
    if (me == 2) bad += most != 331;
    if (me == 0) bad += bits != 0xffffffffu || turns != 4 || lock;
    if (me == 3) bad += sum != (uint64_t)4 * 496 << 33;
    if (me == 1) bad += f != 64;
    if (bad) atomicAdd(wrong, 1);
    sync();
}

#define S(name) ({ unsigned v_; asm volatile("mov.u32 %0, %%" name ";" : "=r"(v_)); v_; })
__global__ void __cluster_dims__(1, 2, 2) registers(int *wrong) {
    int bad = S("cluster_nctaid.x") != 1 || S("cluster_nctaid.y") != 2 || S("cluster_nctaid.z") != 2 || S("cluster_nctarank") != 4;
    bad += S("nclusterid.x") != 3 || S("nclusterid.y") != 2 || S("nclusterid.z") != 1;
    bad += S("clusterid.x") != blockIdx.x || S("clusterid.y") != blockIdx.y / 2 || S("clusterid.z") != blockIdx.z / 2;
    bad += S("cluster_ctaid.x") != 0 || S("cluster_ctaid.y") != blockIdx.y % 2 || S("cluster_ctaid.z") != blockIdx.z % 2;
    bad += S("cluster_ctarank") != blockIdx.y % 2 + 2 * (blockIdx.z % 2);
    if (bad) atomicAdd(wrong, 1);
}

// all blocks arrive at an mbarrier of block 0, which waits for them
__global__ void __cluster_dims__(4) mbarrier(int *wrong) {
    __shared__ uint64_t bar;
    __shared__ int got[4];
    unsigned me = rank(), t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(narrow(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync();
    if (t == 0) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(mapa(narrow(&got[me]), 0)), "r"(me + 1) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapa(narrow(&bar), 0)) : "memory");
    }
    if (me == 0) {
        unsigned done;
        do
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(narrow(&bar))
                         : "memory");
        while (!done);
        if (got[t % 4] != (int)(t % 4) + 1) atomicAdd(wrong, 1);
    }
    sync();
}

int main() {
    int *wrong;
    CK(cudaMallocManaged(&wrong, sizeof *wrong));
#define TRY(k, grid, block)                                                                                                                \
    *wrong = 0;                                                                                                                            \
    k<<<grid, block>>>(wrong);                                                                                                             \
    CK(cudaDeviceSynchronize());                                                                                                           \
    printf(#k ": %d wrong\n", *wrong);
    TRY(addresses, 8, 1)
    TRY(accesses, 2, 32)
    TRY(atomics, 8, 32)
    TRY(registers, dim3(3, 4, 2), 32)
    TRY(mbarrier, 8, 32)
}
