// Bulk copies and reductions of ranges, in groups and on mbarriers; values that complete on an mbarrier (st.async, red.async).
// arch: sm_90
// expect: there and back 0 wrong
// expect: two stages 0 wrong
// expect: groups 0 wrong
// expect: add u32 0 wrong
// expect: max s32 0 wrong
// expect: inc u32 0 wrong
// expect: dec u32 0 wrong
// expect: xor b32 0 wrong
// expect: and b64 0 wrong
// expect: min s64 0 wrong
// expect: add f32 0 wrong
// expect: add f32, subnormal 0 wrong
// expect: add f64 0 wrong
// expect: add f16 0 wrong
// expect: max bf16 0 wrong
// expect: st.async 0 wrong
// expect: red.async 0 wrong
#include "tma.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

__global__ void there_and_back(const int *from, int *to, int n) {
    extern __shared__ __align__(128) int s[];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bulk_load(AT(s), from, 4 * n, AT(&bar)); // before it is expected: the count of bytes may be below zero for a while
        bar_expect(AT(&bar), 4 * n);
    }
    __syncthreads();
    bar_wait(AT(&bar), 0);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = 3 * s[i] + 1;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(64));
        bulk_store(to, AT(s), 4 * n), bulk_commit(), bulk_drain();
    }
}
// Tile after tile through two buffers: full and empty barriers, a producer warp and a consumer warp.
__global__ void stages(const int *from, int *to, int tiles) {
    enum { TILE = 256, STAGES = 2 };
    __shared__ alignas(128) int s[STAGES][TILE];
    __shared__ alignas(8) unsigned long long full[STAGES], empty[STAGES];
    int lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x == 0)
        for (int k = 0; k < STAGES; k++) bar_init(AT(&full[k]), 1), bar_init(AT(&empty[k]), 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; t++) {
            int k = t % STAGES;
            if (t >= STAGES) bar_wait(AT(&empty[k]), (t / STAGES - 1) & 1);
            if (lane == 0) bar_expect(AT(&full[k]), 4 * TILE), bulk_load(AT(s[k]), from + t * TILE, 4 * TILE, AT(&full[k]));
            __syncwarp();
        }
    } else {
        for (int t = 0; t < tiles; t++) {
            int k = t % STAGES;
            bar_wait(AT(&full[k]), (t / STAGES) & 1);
            for (int i = lane; i < TILE; i += 32) sum += s[k][i] * (t + 1);
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(AT(&empty[k])) : "memory");
        }
        to[lane] = sum;
    }
}
// Each thread stores a group after the other and waits for all but the last before it writes the buffer again.
__global__ void groups(int *to, int rounds) {
    __shared__ alignas(128) int s[32][2][4];
    int t = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int *mine = s[t][r % 2];
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        for (int i = 0; i < 4; i++) mine[i] = (r * 32 + t) * 4 + i;
        proxy_fence();
        bulk_store(to + (r * 32 + t) * 4, AT(mine), 16), bulk_commit();
    }
    bulk_drain();
}
enum { N = 128 };
#define REDUCE(name, T, words)                                                                                              \
    __global__ void name(T *to, const T *from) {                                                                            \
        __shared__ alignas(128) T s[N];                                                                                     \
        for (int i = threadIdx.x; i < N; i += blockDim.x) s[i] = from[i];                                                   \
        proxy_fence();                                                                                                      \
        __syncthreads();                                                                                                    \
        if (threadIdx.x) return;                                                                                            \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." words " [%0], [%1], %2;" ::"l"(to), "r"(AT(s)),  \
                     "r"((unsigned)sizeof s) : "memory");                                                                   \
        bulk_commit(), bulk_drain();                                                                                        \
    }
REDUCE(add_u32, unsigned, "add.u32")
REDUCE(max_s32, int, "max.s32")
REDUCE(inc_u32, unsigned, "inc.u32")
REDUCE(dec_u32, unsigned, "dec.u32")
REDUCE(xor_b32, unsigned, "xor.b32")
REDUCE(and_b64, unsigned long long, "and.b64")
REDUCE(min_s64, long long, "min.s64")
REDUCE(add_f32, float, "add.f32")
REDUCE(add_f64, double, "add.f64")
REDUCE(add_f16, __half, "add.noftz.f16")
REDUCE(max_bf16, __nv_bfloat16, "max.bf16")
template <class T, class F, class G> void check(const char *name, void (*kernel)(T *, const T *), F draw, G want) {
    std::vector<T> a(N), b(N), got(N);
    for (int i = 0; i < N; i++) a[i] = draw(2 * i), b[i] = draw(2 * i + 1);
    T *to, *from;
    CK(cudaMalloc(&to, N * sizeof(T))), CK(cudaMalloc(&from, N * sizeof(T)));
    CK(cudaMemcpy(to, a.data(), N * sizeof(T), cudaMemcpyHostToDevice)), CK(cudaMemcpy(from, b.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, 32>>>(to, from);
    CK(cudaMemcpy(got.data(), to, N * sizeof(T), cudaMemcpyDeviceToHost)), CK(cudaFree(to)), CK(cudaFree(from));
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        T w = want(a[i], b[i]);
        wrong += memcmp(&got[i], &w, sizeof w) != 0;
    }
    printf("%s %d wrong\n", name, wrong);
}
static unsigned mix(int i) { return (unsigned)i * 2654435761u; }

__global__ void __cluster_dims__(1, 1, 1) post(int *to) {
    __shared__ alignas(16) int s[32 * 4];
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) bar_init(AT(&bar), 1), bar_expect(AT(&bar), 32 * 16);
    __syncthreads();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
                 ::"r"(AT(s + 4 * t)), "r"(t), "r"(2 * t), "r"(3 * t), "r"(~t), "r"(AT(&bar)) : "memory");
    bar_wait(AT(&bar), 0);
    for (int i = 0; i < 4; i++) to[32 * i + t] = s[32 * i + t];
}
__global__ void __cluster_dims__(1, 1, 1) reduced(int *to) {
    __shared__ unsigned s[2];
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) s[0] = 7, s[1] = 5, bar_init(AT(&bar), 1), bar_expect(AT(&bar), 32 * 8);
    __syncthreads();
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(AT(s)), "r"(t), "r"(AT(&bar)) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];" ::"r"(AT(s + 1)), "r"(t), "r"(AT(&bar)) : "memory");
    bar_wait(AT(&bar), 0);
    if (t < 2) to[t] = s[t];
}
int main() {
    const int n = 8192;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = i * 7 - 100;
    int *from, *to, wrong = 0;
    CK(cudaMalloc(&from, 4 * n)), CK(cudaMalloc(&to, 4 * n)), CK(cudaMemcpy(from, h.data(), 4 * n, cudaMemcpyHostToDevice));
    there_and_back<<<1, 128, 4 * n>>>(from, to, n);
    CK(cudaMemcpy(r.data(), to, 4 * n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) wrong += r[i] != 3 * h[i] + 1;
    printf("there and back %d wrong\n", wrong);
    stages<<<1, 64>>>(from, to, 32);
    CK(cudaMemcpy(r.data(), to, 128, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int l = 0; l < 32; l++) {
        unsigned sum = 0;
        for (int i = l; i < n; i += 32) sum += (unsigned)h[i] * (i / 256 + 1);
        wrong += (unsigned)r[l] != sum;
    }
    printf("two stages %d wrong\n", wrong);
    groups<<<1, 32>>>(to, 9);
    CK(cudaMemcpy(r.data(), to, 9 * 512, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 9 * 128; i++) wrong += r[i] != i;
    printf("groups %d wrong\n", wrong);

    check("add u32", add_u32, mix, [](unsigned a, unsigned b) { return a + b; });
    check("max s32", max_s32, [](int i) { return (int)mix(i); }, [](int a, int b) { return a > b ? a : b; });
    check("inc u32", inc_u32, [](int i) { return mix(i) % 8; }, [](unsigned a, unsigned b) { return a >= b ? 0 : a + 1; });
    check("dec u32", dec_u32, [](int i) { return mix(i) % 8; }, [](unsigned a, unsigned b) { return a == 0 || a > b ? b : a - 1; });
    check("xor b32", xor_b32, mix, [](unsigned a, unsigned b) { return a ^ b; });
    check("and b64", and_b64, [](int i) { return mix(i) * 4294967311ull; }, [](unsigned long long a, unsigned long long b) { return a & b; });
    check("min s64", min_s64, [](int i) { return (long long)(mix(i) * 4294967311ull); }, [](long long a, long long b) { return a < b ? a : b; });
    check("add f32", add_f32, [](int i) { return (float)(int)mix(i) / 65536; }, [](float a, float b) { return a + b; });
    check("add f32, subnormal", add_f32, [](int i) { return ldexpf((float)(mix(i) >> 8 & 0x3fffff), -149); }, [](float a, float b) { return a + b; });
    check("add f64", add_f64, [](int i) { return (double)(int)mix(i) / 65536; }, [](double a, double b) { return a + b; });
    // Whole numbers below 1024: their sums are exact in a half.
    check("add f16", add_f16, [](int i) { return __float2half((float)(mix(i) >> 22)); }, [](__half a, __half b) { return __float2half(__half2float(a) + __half2float(b)); });
    check("max bf16", max_bf16, [](int i) { return __float2bfloat16((float)(int)mix(i)); }, [](__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) > __bfloat162float(b) ? a : b; });

    post<<<1, 32>>>(to);
    CK(cudaMemcpy(r.data(), to, 512, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int t = 0; t < 32; t++) wrong += (r[4 * t] != t) + (r[4 * t + 1] != 2 * t) + (r[4 * t + 2] != 3 * t) + (r[4 * t + 3] != ~t);
    printf("st.async %d wrong\n", wrong);
    reduced<<<1, 32>>>(to);
    CK(cudaMemcpy(r.data(), to, 8, cudaMemcpyDeviceToHost));
    printf("red.async %d wrong\n", (r[0] != 7 + 31 * 16) + (r[1] != 31));
}
