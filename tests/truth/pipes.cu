// What an instruction of the machine takes on a device: registers read by bank, pipes, latencies of loads without the arithmetic of an address, wide loads of shared memory, a
// block's start. Their machine code decides, so look at it (nvdisasm) before a figure is taken from another compiler's: nvcc 13.0, -O3 -arch=sm_90 here.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 tests/truth/pipes.cu -o pipes && ./pipes        h200.pipes.txt is what one H200 printed
//
//   round NAME a b c d     cycles of a round of the loop for each warp of a scheduler, with 1, 2, 4 and 8 warps
//   chain NAME c           cycles from one to the next, each needs the one before
//   lds8 PATTERN c         cycles of a load (sts: store) of 8 bytes a lane, all warps of a multiprocessor; lane l takes the unit that the pattern says
//   start threads n ..     from a block's last clock to its successor's first, and to the use of a constant and a special register
#include <algorithm>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <numeric>
#include <random>
#include <vector>
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned sink[1024];

#define ROUND(name, n, decl, body, fin)                                                                                                                                  \
    __global__ void __launch_bounds__(1024) round_##name(u a, u b, u c, float fa, float fb, double da, int iters, ull *out) {                                            \
        __shared__ __align__(16) float sh[1024];                                                                                                                         \
        u t = threadIdx.x, x = t * a + b, y = t ^ c, z = t + b, own = (u)__cvta_generic_to_shared(sh) + t % 32 * 4, same = own - t % 32 * 4;                              \
        float f = t * fa + fb, g = t * fb + fa, h = f + 1;                                                                                                               \
        double d = t * da + 1, e = d + da;                                                                                                                               \
        sh[t] = fa;                                                                                                                                                      \
        decl;                                                                                                                                                            \
        __syncthreads();                                                                                                                                                 \
        long long t0 = clock64();                                                                                                                                        \
        _Pragma("unroll 1") for (int i = 0; i < iters; i++) {                                                                                                            \
            _Pragma("unroll") for (int j = 0; j < n; j++) { body; }                                                                                                      \
        }                                                                                                                                                                \
        __syncthreads();                                                                                                                                                 \
        long long t1 = clock64();                                                                                                                                        \
        fin;                                                                                                                                                             \
        u r = x + y + z + own + same + __float_as_uint(f + g + h) + (u)__double2loint(d + e);                                                                            \
        if (r == 0x12345678) sink[t] = r;                                                                                                                                \
        if (!t && !blockIdx.x) out[0] = t1 - t0;                                                                                                                         \
    }
#define LDS4(at) { float v; asm volatile("ld.volatile.shared.f32 %0,[%1];" : "=f"(v) : "r"(at)); f += v; }
#define LDS16(at) { float v, w, p, q; asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v), "=f"(w), "=f"(p), "=f"(q) : "r"(at)); f += v; g += w; f += p; g += q; }
ROUND(add, 16, , f = f + g; g = g + f, )
ROUND(fma, 16, , f = f * g + h; g = g * f + h, )
ROUND(fma_imad, 16, , f = f * g + h; x = x * y + z, )
ROUND(fma2_imad, 16, , f = f * g + h; g = g * f + h; x = x * y + z, )
ROUND(fma3_imad, 16, , f = f * g + h; g = g * f + h; h = f * g + h; x = x * y + z, )
ROUND(lop, 16, , x = (x ^ y) & z; y = y ^ x, )
ROUND(imad_lop, 16, , x = (x * a + z) ^ y, )
ROUND(imad_2lop, 16, , x = ((x * a + z) ^ y) & b; y = y ^ x, )
ROUND(add_lop, 16, , x = (x + z) ^ y; y = (y + x) ^ z, )
ROUND(viadd_lop, 16, , x = (x + 0x1234567u) ^ y; y = (y + 0x7654321u) ^ x, )
ROUND(viadd_imad, 16, , x = (x + 0x1234567u) * y + z, )
ROUND(viadd_imad_lop, 16, , x = ((x + 0x1234567u) * y) ^ z, )
ROUND(wide_fma, 16, ull w = x, w = (ull)(u)w * y + w; f = f * g + h; g = g * f + h; h = h * f + g, x = (u)w + (u)(w >> 32))
ROUND(high, 16, , x = __umulhi(x, y) + z; y = __umulhi(y, x) + z, )
ROUND(dfma, 8, , d = d * e + d; e = e * d + e, )
ROUND(dfma_fma, 8, , d = d * e + d; f = f * g + h, )
ROUND(dfma_2fma, 8, , d = d * e + d; f = f * g + h; g = g * f + h, )
ROUND(divide_double, 2, , d = 3.5 / d; d = d + 1, )
ROUND(xorshift, 4, , x ^= x << 13; x ^= x >> 17; x ^= x << 5, )
ROUND(own4, 4, , LDS4(own), )
ROUND(same16, 4, , LDS16(same), )
ROUND(own4_same16, 4, , LDS4(own) LDS4(own) LDS4(own) LDS4(own) LDS16(same), )

__global__ void chain_load(ull *p, ull *out, int n) {
    ull v = (ull)p, t0 = clock64();
    for (int k = 0; k < n; k++) asm volatile("ld.global.u64 %0,[%0];" : "+l"(v));
    ull t1 = clock64();
    out[0] = t1 - t0, out[1] = v;
}
__global__ void chain_load_l2(ull *p, ull *out, int n) {
    ull v = (ull)p, t0 = clock64();
    for (int k = 0; k < n; k++) asm volatile("ld.global.cg.u64 %0,[%0];" : "+l"(v));
    ull t1 = clock64();
    out[0] = t1 - t0, out[1] = v;
}
#define CHAIN(name, init, step)                                                                                                                                          \
    __global__ void chain_##name(ull *, ull *out, int n) {                                                                                                               \
        __shared__ __align__(16) u s[4096];                                                                                                                              \
        u b = (u)__cvta_generic_to_shared(s), l = threadIdx.x;                                                                                                           \
        for (int k = l; k < 4096; k += 32) s[k] = b + 4 * k;                                                                                                             \
        __syncthreads();                                                                                                                                                 \
        u v = init, w, x, y;                                                                                                                                             \
        ull t0 = clock64();                                                                                                                                              \
        for (int k = 0; k < n; k++) step;                                                                                                                                \
        ull t1 = clock64();                                                                                                                                              \
        out[0] = t1 - t0, out[1] = v;                                                                                                                                    \
    }
#define AT4 asm volatile("ld.volatile.shared.u32 %0,[%0];" : "+r"(v))
#define AT8 asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%0];" : "+r"(v), "=r"(w))
#define AT16 asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%0];" : "+r"(v), "=r"(w), "=r"(x), "=r"(y))
CHAIN(lds4, b + 4 * l, AT4)
CHAIN(lds4_2way, b + 8 * l, AT4)
CHAIN(lds4_4way, b + 16 * l, AT4)
CHAIN(lds4_8way, b + 32 * l, AT4)
CHAIN(lds4_32way, b + 128 * l, AT4)
CHAIN(lds8, b + 8 * l, AT8)
CHAIN(lds8_2way, b + 16 * l, AT8)
CHAIN(lds16, b + 16 * l, AT16)
CHAIN(lds16_2way, b + 32 * l, AT16)
CHAIN(lds16_same, b, AT16)
__constant__ u words[1024];
CHAIN(constant_after_shift, l & 1, v = words[v]) // 6 cycles are the shift's
CHAIN(smid_after_compare, l, asm volatile("{.reg .pred p; setp.ne.u32 p,%0,0x7654321; @p mov.u32 %0,%%smid;}" : "+r"(v))) // 13 the comparison's

template <int size, bool store> __global__ void __launch_bounds__(1024) access(const int *unit, int iters, ull *out) {
    __shared__ __align__(16) char s[16384];
    u at = (u)__cvta_generic_to_shared(s) + unit[threadIdx.x & 31] * size, v = threadIdx.x, w, x, y, z, sum = 0;
    __syncthreads();
    long long t0 = clock64();
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int j = 0; j < 16; j++) {
            if (store && size == 4) asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(at), "r"(v));
            else if (store && size == 8) asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%1};" ::"r"(at), "r"(v));
            else if (store) asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(at), "r"(v));
            else if (size == 4) asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(w) : "r"(at));
            else if (size == 8) asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];" : "=r"(w), "=r"(x) : "r"(at));
            else asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(w), "=r"(x), "=r"(y), "=r"(z) : "r"(at));
            if (!store) sum ^= w;
        }
    }
    __syncthreads();
    long long t1 = clock64();
    if (sum == 77) sink[0] = sum;
    if (!threadIdx.x && !blockIdx.x) out[0] = t1 - t0;
}
static void *accesses[2][3] = {{(void *)access<4, false>, (void *)access<8, false>, (void *)access<16, false>}, {(void *)access<4, true>, (void *)access<8, true>, (void *)access<16, true>}};

__global__ void starts(ull *rec, int spin) {
    ull t0, t1, now;
    u b, sm;
    asm volatile("mov.u64 %0,%%clock64;" : "=l"(t0));
    asm volatile("mov.u32 %0,%%ctaid.x;" : "=r"(b));
    ull *r = rec + 4ull * b;
    asm volatile("{.reg .pred p; setp.eq.u64 p,%1,0; @p trap; mov.u64 %0,%%clock64;}" : "=l"(t1) : "l"(r));
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    if (threadIdx.x == blockDim.x - 32) r[0] = t0, r[1] = t1, r[2] = sm;
    __syncthreads();
    do asm volatile("mov.u64 %0,%%clock64;" : "=l"(now));
    while (now < t0 + spin);
    if (threadIdx.x == 0) r[3] = now;
}

static ull *out, got;
static double run(void *f, int blocks, int threads, void **v) {
    double best = 1e30;
    for (int r = 0; r < 3; r++) {
        cudaLaunchKernel(f, dim3(blocks), dim3(threads), v, 0, 0);
        cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost);
        best = std::min(best, (double)got);
    }
    return best;
}
#define R(k) {#k, (void *)round_##k}
#define C(k) {#k, (void *)chain_##k}
static const struct { const char *name; void *f; } rounds[] = {R(add), R(fma), R(fma_imad), R(fma2_imad), R(fma3_imad), R(lop), R(imad_lop), R(imad_2lop), R(add_lop), R(viadd_lop), R(viadd_imad), R(viadd_imad_lop), R(wide_fma), R(high), R(dfma), R(dfma_fma), R(dfma_2fma), R(divide_double), R(xorshift), R(own4), R(same16), R(own4_same16)},
    chains[] = {C(lds4), C(lds4_2way), C(lds4_4way), C(lds4_8way), C(lds4_32way), C(lds8), C(lds8_2way), C(lds16), C(lds16_2way), C(lds16_same), C(constant_after_shift), C(smid_after_compare)};
static const struct { const char *name; int (*of)(int); } patterns[] = {{"0", [](int) { return 0; }}, {"l", [](int l) { return l; }}, {"l%16", [](int l) { return l & 15; }}, {"l%8", [](int l) { return l & 7; }}, {"l%4", [](int l) { return l & 3; }}, {"l%2", [](int l) { return l & 1; }}, {"l/2", [](int l) { return l / 2; }}, {"l/4", [](int l) { return l / 4; }}, {"l/8", [](int l) { return l / 8; }}, {"l/16", [](int l) { return l / 16; }},
    {"2l", [](int l) { return 2 * l; }}, {"8l", [](int l) { return 8 * l; }}, {"8(l%16)", [](int l) { return 8 * (l & 15); }}, {"8(l%8)", [](int l) { return 8 * (l & 7); }}, {"8(l/16)", [](int l) { return 8 * (l / 16); }}, {"2(l%16)", [](int l) { return 2 * (l & 15); }}, {"l%8+8(l/16)", [](int l) { return (l & 7) + 8 * (l / 16); }}, {"l%4+4(l/8)", [](int l) { return (l & 3) + 4 * (l / 8); }}};

int main() {
    enum { N = 512, SMS = 132 };
    cudaMalloc(&out, 16);
    u a = 3, b = 5, c = 7;
    float fa = 1.0001f, fb = .5f;
    double da = 1.0001;
    int n = N;
    void *v[] = {&a, &b, &c, &fa, &fb, &da, &n, &out};
    for (auto &k : rounds) {
        printf("round %s", k.name);
        for (int warps = 1; warps <= 8; warps *= 2) printf(" %.2f", run(k.f, SMS, 128 * warps, v) / N / warps);
        printf("\n");
    }
    ull *p = nullptr;
    void *w[] = {&p, &out, &n};
    for (auto &k : chains) printf("chain %s %.2f\n", k.name, run(k.f, 1, 32, w) / N);
    const struct { const char *name; size_t bytes, step; void *f; } rings[] = {{"l1_8KB", 8192, 128, (void *)chain_load}, {"l2_4MB", 4 << 20, 128, (void *)chain_load_l2}, {"l2_16MB", 16 << 20, 128, (void *)chain_load_l2}, {"dram_2GB", 2ull << 30, 4096, (void *)chain_load_l2}};
    for (auto &r : rings) {
        size_t m = r.bytes / r.step;
        char *d;
        cudaMalloc(&d, r.bytes);
        std::vector<u> o(m);
        std::iota(o.begin(), o.end(), 0);
        std::shuffle(o.begin() + 1, o.end(), std::mt19937(7));
        std::vector<ull> h(r.bytes / 8);
        for (size_t k = 0; k < m; k++) h[o[k] * r.step / 8] = (ull)(d + o[(k + 1) % m] * r.step);
        cudaMemcpy(d, h.data(), r.bytes, cudaMemcpyHostToDevice);
        p = (ull *)d;
        bool once = r.bytes > 1 << 30;
        int steps = once ? 16384 : (int)m, more = once ? 0 : 17 * (int)m;
        void *x[] = {&p, &out, &steps}, *y[] = {&p, &out, &more};
        for (int k = 0; k < (once ? 1 : 3); k++) cudaLaunchKernel(r.f, dim3(1), dim3(1), x, 0, 0);
        cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost);
        double first = (double)got;
        if (!once) cudaLaunchKernel(r.f, dim3(1), dim3(1), y, 0, 0), cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost);
        printf("chain load_%s %.2f\n", r.name, once ? first / steps : ((double)got - first) / (more - steps));
        cudaFree(d);
    }
    int *unit, iters = 128;
    cudaMalloc(&unit, 128);
    for (auto &q : patterns)
        for (int size = 4; size <= 16; size *= 2)
            for (int st = 0; st < 2; st++) {
                int h[32];
                for (int l = 0; l < 32; l++) h[l] = q.of(l);
                cudaMemcpy(unit, h, 128, cudaMemcpyHostToDevice);
                void *x[] = {&unit, &iters, &out};
                printf("%s%d %s %.2f\n", st ? "sts" : "lds", size, q.name, run(accesses[st][size / 8], SMS, 1024, x) / (iters * 16 * 32));
            }
    enum { BLOCKS = SMS * 24 };
    ull *rec;
    cudaMalloc(&rec, 32 * BLOCKS);
    cudaFuncSetAttribute(starts, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000);
    for (int threads : {32, 128, 256, 512, 1024}) { // one block a multiprocessor: shared memory for no second
        std::vector<ull> h(4 * BLOCKS);
        for (int r = 0; r < 2; r++) starts<<<BLOCKS, threads, 120000>>>(rec, 20000);
        cudaMemcpy(h.data(), rec, 32 * BLOCKS, cudaMemcpyDeviceToHost);
        std::vector<ull> gap, used;
        for (int sm = 0; sm < SMS; sm++) {
            std::vector<ull> begin, end;
            for (int k = 0; k < BLOCKS; k++)
                if ((int)h[4 * k + 2] == sm) begin.push_back(h[4 * k]), end.push_back(h[4 * k + 3]), used.push_back(h[4 * k + 1] - h[4 * k]);
            std::sort(begin.begin(), begin.end());
            std::sort(end.begin(), end.end());
            for (size_t k = 1; k < begin.size(); k++) gap.push_back(begin[k] - end[k - 1]);
        }
        std::sort(gap.begin(), gap.end());
        std::sort(used.begin(), used.end());
        printf("start threads %d: median %llu to the last warp's first instruction, %llu more to its use of both\n", threads, gap[gap.size() / 2], used[used.size() / 2]);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
