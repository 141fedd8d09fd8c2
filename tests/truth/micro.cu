// What the model of time is told about a device: cycles per warp instruction and latency of PTX operations, constant loads, shared and
// global accesses by pattern, atomics, starts of blocks, and how fast memory is written. Each line of output is one JSON object.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 micro.cu; cycles are of the multiprocessor's own clock.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
typedef unsigned u;
typedef unsigned long long ull;
#define CK(x)                                                                                                                                 \
    do {                                                                                                                                      \
        cudaError_t e_ = (x);                                                                                                                 \
        if (e_ != cudaSuccess) {                                                                                                              \
            printf("{\"error\":\"%s line %d\"}\n", cudaGetErrorString(e_), __LINE__);                                                         \
            exit(1);                                                                                                                          \
        }                                                                                                                                     \
    } while (0)
static void out(const char *kind, const char *name, double v, const char *unit) {
    printf("{\"micro\":\"%s\",\"name\":\"%s\",\"value\":%.5g,\"unit\":\"%s\"}\n", kind, name, v, unit);
    fflush(stdout);
}

// ---- arithmetic: 8 chains a thread in 32 warps for the rate, one chain in one warp for the latency ------------------------------
#define OPS(X)                                                                                                                                \
    X(add_f32, float, "f", 1.0001f, "add.f32 %0,%0,%1;")                                                                                      \
    X(mul_f32, float, "f", 1.0001f, "mul.f32 %0,%0,%1;")                                                                                      \
    X(fma_f32, float, "f", 1.0001f, "fma.rn.f32 %0,%0,%1,%1;")                                                                                \
    X(min_f32, float, "f", 1.0001f, "min.f32 %0,%0,%1;")                                                                                      \
    X(add_s32, u, "r", 3, "add.s32 %0,%0,%1;")                                                                                                \
    X(mul_s32, u, "r", 3, "mul.lo.s32 %0,%0,%1;")                                                                                             \
    X(mad_s32, u, "r", 3, "mad.lo.s32 %0,%0,%1,%1;")                                                                                          \
    X(mulhi_s32, u, "r", 3, "mul.hi.u32 %0,%0,%1;")                                                                                           \
    X(min_s32, u, "r", 3, "min.s32 %0,%0,%1;")                                                                                                \
    X(and_b32, u, "r", 0x7fffffff, "and.b32 %0,%0,%1;")                                                                                       \
    X(shl_b32, u, "r", 1, "shl.b32 %0,%0,%1;")                                                                                                \
    X(shf_b32, u, "r", 3, "shf.l.wrap.b32 %0,%0,%1,5;")                                                                                       \
    X(bfe_u32, u, "r", 3, "bfe.u32 %0,%0,%1,9;")                                                                                              \
    X(prmt_b32, u, "r", 0x1032, "prmt.b32 %0,%0,%1,0x1032;")                                                                                  \
    X(popc_b32, u, "r", 3, "popc.b32 %0,%0;")                                                                                                 \
    X(clz_b32, u, "r", 3, "clz.b32 %0,%0;")                                                                                                   \
    X(brev_b32, u, "r", 3, "brev.b32 %0,%0;")                                                                                                 \
    X(setp_selp, u, "r", 3, "{.reg .pred p; setp.gt.u32 p,%0,%1; selp.b32 %0,%0,%1,p;}")                                                      \
    X(add_s64, ull, "l", 3, "add.s64 %0,%0,%1;")                                                                                              \
    X(mul_s64, ull, "l", 3, "mul.lo.s64 %0,%0,%1;")                                                                                           \
    X(shl_b64, ull, "l", 3, "{.reg .u32 s; cvt.u32.u64 s,%1; shl.b64 %0,%0,s;}")                                                              \
    X(div_u32, u, "r", 7, "div.u32 %0,%0,%1;")                                                                                                \
    X(div_s32, u, "r", 7, "div.s32 %0,%0,%1;")                                                                                                \
    X(rem_u32, u, "r", 7, "rem.u32 %0,%0,%1;")                                                                                                \
    X(rem_s32, u, "r", 7, "rem.s32 %0,%0,%1;")                                                                                                \
    X(div_u64, ull, "l", 0x700000007, "div.u64 %0,%0,%1;")                                                                                    \
    X(rem_s64, ull, "l", 0x700000007, "rem.s64 %0,%0,%1;")                                                                                    \
    X(rem_s64_small, ull, "l", 7, "rem.s64 %0,%0,%1;")                                                                                        \
    X(div_rn_f32, float, "f", 1.0001f, "div.rn.f32 %0,%0,%1;")                                                                                \
    X(div_full_f32, float, "f", 1.0001f, "div.full.f32 %0,%0,%1;")                                                                            \
    X(div_approx_f32, float, "f", 1.0001f, "div.approx.f32 %0,%0,%1;")                                                                        \
    X(rcp_rn_f32, float, "f", 1.0001f, "rcp.rn.f32 %0,%0;")                                                                                   \
    X(sqrt_rn_f32, float, "f", 1.0001f, "sqrt.rn.f32 %0,%0;")                                                                                 \
    X(sqrt_approx_f32, float, "f", 1.0001f, "sqrt.approx.f32 %0,%0;")                                                                         \
    X(rsqrt_approx_f32, float, "f", 1.0001f, "rsqrt.approx.f32 %0,%0;")                                                                       \
    X(rcp_approx_ftz_f32, float, "f", 1.0001f, "rcp.approx.ftz.f32 %0,%0;")                                                                   \
    X(ex2_approx_ftz_f32, float, "f", 0.5f, "ex2.approx.ftz.f32 %0,%0;")                                                                      \
    X(lg2_approx_ftz_f32, float, "f", 0.5f, "lg2.approx.ftz.f32 %0,%0;")                                                                      \
    X(sin_approx_f32, float, "f", 0.5f, "sin.approx.f32 %0,%0;")                                                                              \
    X(tanh_approx_f32, float, "f", 0.5f, "tanh.approx.f32 %0,%0;")                                                                            \
    X(add_f64, double, "d", 1.0001, "add.f64 %0,%0,%1;")                                                                                      \
    X(fma_f64, double, "d", 1.0001, "fma.rn.f64 %0,%0,%1,%1;")                                                                                \
    X(div_f64, double, "d", 1.0001, "div.rn.f64 %0,%0,%1;")                                                                                   \
    X(sqrt_f64, double, "d", 1.0001, "sqrt.rn.f64 %0,%0;")                                                                                    \
    X(fma_f16x2, u, "r", 0x3c003c00, "fma.rn.f16x2 %0,%0,%1,%1;")                                                                             \
    X(cvt_f32_s32_f32, float, "f", 3.f, "{.reg .s32 t; cvt.rzi.s32.f32 t,%0; cvt.rn.f32.s32 %0,t;}")                                          \
    X(cvt_f64_f32, float, "f", 3.f, "{.reg .f64 t; cvt.f64.f32 t,%0; cvt.rn.f32.f64 %0,t;}")                                                  \
    X(cvt_f16_f32, float, "f", 3.f, "{.reg .b16 t; cvt.rn.f16.f32 t,%0; cvt.f32.f16 %0,t;}")                                                  \
    X(shfl_b32, u, "r", 3, "shfl.sync.bfly.b32 %0,%0,1,0x1f,-1;")                                                                             \
    X(vote_b32, u, "r", 3, "{.reg .pred p; setp.ne.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,-1;}")                                              \
    X(match_b32, u, "r", 3, "match.any.sync.b32 %0,%0,-1;")                                                                                   \
    X(redux_s32, u, "r", 3, "redux.sync.add.s32 %0,%0,-1;")                                                                                   \
    X(dp4a, u, "r", 3, "dp4a.u32.u32 %0,%0,%1,%1;")                                                                                           \
    X(mulwide_add, ull, "l", 3, "{.reg .u32 s; cvt.u32.u64 s,%0; .reg .u64 t; mul.wide.u32 t,s,4; add.u64 %0,t,%1;}")

struct span {
    ull lo, hi;
};
__device__ void stamp(span *s, ull a, ull b) {
    atomicMin(&s->lo, a);
    atomicMax(&s->hi, b);
}
#define X(NAME, T, C, INIT, ASM)                                                                                                              \
    __global__ void __launch_bounds__(1024) thr_##NAME(T *o, T x, span *s) {                                                                  \
        T v[8];                                                                                                                               \
        for (int j = 0; j < 8; j++) v[j] = x + (T)(threadIdx.x + j);                                                                          \
        __syncthreads();                                                                                                                      \
        ull a = clock64();                                                                                                                    \
        _Pragma("unroll 1") for (int k = 0; k < 64; k++) {                                                                                    \
            _Pragma("unroll") for (int r = 0; r < 4; r++) _Pragma("unroll") for (int j = 0; j < 8; j++) asm volatile(ASM : "+" C(v[j]) : C(x)); \
        }                                                                                                                                     \
        ull b = clock64();                                                                                                                    \
        if (blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);                                                                         \
        T q = 0;                                                                                                                              \
        for (int j = 0; j < 8; j++) q += v[j];                                                                                                \
        o[blockIdx.x * blockDim.x + threadIdx.x] = q;                                                                                         \
    }                                                                                                                                         \
    __global__ void lat_##NAME(T *o, T x, ull *t) {                                                                                           \
        T v = x + (T)threadIdx.x;                                                                                                             \
        for (int w = 0; w < 2; w++) {                                                                                                         \
            ull a = clock64();                                                                                                                \
            _Pragma("unroll") for (int r = 0; r < 128; r++) asm volatile(ASM : "+" C(v) : C(x));                                              \
            ull b = clock64();                                                                                                                \
            *t = b - a;                                                                                                                       \
        }                                                                                                                                     \
        o[threadIdx.x] = v;                                                                                                                   \
    }
OPS(X)
#undef X

// ---- constant memory ---------------------------------------------------------------------------------------------------------
__constant__ float CT[4096];
__global__ void const_known(float *o, int n, span *s) { // the index is the same in the whole warp, and the compiler knows
    float v = 0;
    __syncthreads();
    ull a = clock64();
    for (int k = 0; k < n; k++) v += CT[k & 1023];
    ull b = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);
    o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void const_words(float *o, int n, int words, span *s) { // `words` different words a warp, the compiler does not know
    float v = 0;
    int l = (threadIdx.x % words) * 31;
    __syncthreads();
    ull a = clock64();
    for (int k = 0; k < n; k++) v += CT[(k + l) & 1023];
    ull b = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);
    o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void const_plain(float *y, int it) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    for (int k = 0; k < it; k++) v += CT[k & 1023];
    y[i] = v;
}

// ---- shared memory ---------------------------------------------------------------------------------------------------------------
// `group` neighbouring lanes share an address; addresses of groups are `stride` elements apart. Sixteen loads at different offsets, so that
// none repeats another.
template <class V> __global__ void __launch_bounds__(1024) lds(float *o, int group, int stride, span *s) {
    extern __shared__ float m[];
    for (int k = threadIdx.x; k < 16384; k += blockDim.x) m[k] = 1;
    __syncthreads();
    u at = (u)__cvta_generic_to_shared(m) + (threadIdx.x % 32 / group) * stride * sizeof(V) % 32768;
    float v = 0;
    ull a = clock64();
#pragma unroll 1
    for (int k = 0; k < 32; k++) {
        at ^= 16384;
#pragma unroll
        for (int r = 0; r < 16; r++) {
            if constexpr (sizeof(V) == 4) {
                float x;
                asm volatile("ld.shared.f32 %0,[%1];" : "=f"(x) : "r"(at + r * 512));
                v += x;
            } else if constexpr (sizeof(V) == 8) {
                float x, y;
                asm volatile("ld.shared.v2.f32 {%0,%1},[%2];" : "=f"(x), "=f"(y) : "r"(at + r * 512));
                v += x + y;
            } else {
                float x, y, z, w;
                asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at + r * 512));
                v += (x + w) + (y + z);
            }
        }
    }
    ull b = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);
    o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void __launch_bounds__(1024) sts(float *o, int stride, span *s) {
    extern __shared__ float m[];
    u at = (u)__cvta_generic_to_shared(m) + (threadIdx.x % 32) * stride * 4 % 32768;
    __syncthreads();
    ull a = clock64();
#pragma unroll 1
    for (int k = 0; k < 32; k++)
#pragma unroll
        for (int r = 0; r < 16; r++) asm volatile("st.volatile.shared.u32 [%0],%0;" ::"r"(at + r * 512));
    ull b = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);
    __syncthreads();
    o[blockIdx.x * blockDim.x + threadIdx.x] = m[threadIdx.x];
}
__global__ void __launch_bounds__(1024) atoms(u *o, int mode, int how, span *s) { // shared atomics: +1, +value, with the result
    extern __shared__ u mu[];
    mu[threadIdx.x] = 0;
    u sum = 0;
    int l = threadIdx.x % 32;
    int i = mode == 0 ? threadIdx.x : mode == 1 ? 0 : mode == 2 ? threadIdx.x / 32 * 32 : mode == 3 ? l % 2 : mode == 4 ? l % 8 : (threadIdx.x * 2654435761u) >> 24;
    __syncthreads();
    ull a = clock64();
#pragma unroll 1
    for (int k = 0; k < 128; k++) {
        u at = (u)__cvta_generic_to_shared(mu + i), r = 0;
        if (how == 0) asm volatile("red.shared.add.u32 [%0],1;" ::"r"(at));
        else if (how == 1) asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(at), "r"(l + k));
        else asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(r) : "r"(at), "r"(l + k));
        sum += r;
    }
    ull b = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);
    __syncthreads();
    o[blockIdx.x * blockDim.x + threadIdx.x] = mu[threadIdx.x] + sum;
}

// ---- global loads that L1 has: by bytes a lane and lines a request ---------------------------------------------------------------
template <int B> __global__ void __launch_bounds__(1024) ldg_l1(const float *p, float *o, int stride, span *s) {
    const char *at = (const char *)p + (threadIdx.x % 32) * stride;
    float v = 0;
    for (int w = 0; w < 2; w++) {
        __syncthreads();
        ull a = clock64();
#pragma unroll 1
        for (int k = 0; k < 16; k++) {
            at = (const char *)((ull)at ^ 8192);
#pragma unroll
            for (int r = 0; r < 8; r++) {
                if constexpr (B == 4) {
                    float x;
                    asm volatile("ld.global.f32 %0,[%1];" : "=f"(x) : "l"(at + r * 512));
                    v += x;
                } else {
                    float x, y, z, q;
                    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(q) : "l"(at + r * 512));
                    v += x + y + z + q;
                }
            }
        }
        ull b = clock64();
        if (w && blockIdx.x == 0 && threadIdx.x % 32 == 0) stamp(s, a, b);
    }
    o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// Loads that L2 has, each address once in a pass; `lanes_apart` bytes between lanes.
__global__ void l2_read(const char *p, float *o, u bytes, u lanes_apart, int it) {
    u i = (blockIdx.x * blockDim.x + threadIdx.x);
    float v = 0;
#pragma unroll 8
    for (int k = 0; k < it; k++) {
        u at = (u)(((ull)(i + k * gridDim.x * blockDim.x) * lanes_apart) & (bytes - 1)) & ~3u;
        float x;
        asm volatile("ld.global.cg.f32 %0,[%1];" : "=f"(x) : "l"(p + at));
        v += x;
    }
    if (v == 1.2345f) *o = v;
}
__global__ void write4(float *p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = 1;
}
__global__ void write16(float4 *p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = make_float4(1, 2, 3, 4);
}
__global__ void scatter(float *p, u lines, int words) { // one word in each of 32 sectors, `words` passes
    u i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < words; k++) p[(size_t)((i * 2654435761u + k * 40503u) % lines) * 8] = 1;
}

// ---- global atomics ----------------------------------------------------------------------------------------------------------------
__global__ void atomg(u *o, int mode, int per, int ret, u salt) {
    u t = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x % 32, h = (t * 2654435761u + salt) >> 16, v = 0;
    for (int k = 0; k < per; k++) {
        u i;
        h = h * 1664525u + 1013904223u;
        switch (mode) {
        case 0: i = 0; break;                                   // one address
        case 1: i = l % 8; break;                               // one sector, 8 words, 4 lanes each
        case 2: i = l; break;                                   // one line, 32 words
        case 3: i = (t / 32 % 8) * 32 + l; break;               // 8 lines, a line a warp
        case 4: i = (h >> 8) & 255; break;                      // 256 words at random
        case 5: i = (t / 32 % 8) * 32; break;                   // a warp one address, 8 lines
        case 6: i = ((h >> 8) & 31) * 8; break;                 // 32 sectors at random
        case 7: i = (h >> 8) & 4095; break;                     // 4096 words at random
        case 8: i = (h >> 4) & 0xfffff; break;                  // a million words at random
        case 9: i = (t + k * 4096 * 32) & 0xfffff; break;       // in order
        case 10: i = (l * 8 + (t / 32 % 8) * 256); break;       // 32 sectors a warp, 64 lines
        default: i = (t / 32 * 64) & 0xfffff; break;            // a warp one address, its own
        }
        if (ret) v += atomicAdd(&o[i], 1u);
        else atomicAdd(&o[i], 1u);
    }
    if (v == 0x12345678) o[0] = v;
}

// ---- control -------------------------------------------------------------------------------------------------------------------------
__global__ void loop_empty(u *o, int n, ull *t) { // counter, compare, branch; the body is one dependent add
    u v = 0;
    ull a = clock64();
#pragma unroll 1
    for (int k = 0; k < n; k++) asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(k));
    ull b = clock64();
    *t = b - a;
    o[threadIdx.x] = v;
}
__global__ void branch_split(u *o, int n, ull *t, int split) { // a loop around two sides of a branch; both long enough not to be predicated
    u v = threadIdx.x;
    ull a = clock64();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        if ((threadIdx.x & split) != 0) {
#pragma unroll
            for (int r = 0; r < 24; r++) asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(k));
        } else {
#pragma unroll
            for (int r = 0; r < 24; r++) asm volatile("xor.b32 %0,%0,%1;" : "+r"(v) : "r"(k));
        }
    }
    ull b = clock64();
    *t = b - a;
    o[threadIdx.x] = v;
}
__global__ void sreg(u *o, ull *t) {
    u v = 0, x;
    ull a = clock64();
#pragma unroll
    for (int r = 0; r < 32; r++) {
        asm volatile("mov.u32 %0,%%laneid;" : "=r"(x));
        asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(x));
    }
    ull b = clock64();
    *t = b - a;
    o[threadIdx.x] = v;
}
__global__ void nop() {}
__global__ void nop_shared() {
    extern __shared__ float m[];
    if (blockDim.y == 77) m[0] = 1;
}
__global__ void one_load(const float *p, float *o) { // a block's life: one load, one store
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = p[i] + 1;
}
__global__ void one_store(float *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

template <int N> __global__ void spread(const float *p, float *o, ull *t, u lines, int rounds) { // N loads at once from lines at random
    u h = 12345 + threadIdx.x / 32 * 7919;
    float v = 0;
    ull sum = 0;
    for (int r = 0; r < rounds; r++) {
        float x[N];
        ull a = clock64();
#pragma unroll
        for (int j = 0; j < N; j++) {
            h = h * 1664525u + 1013904223u;
            asm volatile("ld.global.f32 %0,[%1];" : "=f"(x[j]) : "l"(p + (size_t)((h >> 5) % lines) * 32 + threadIdx.x % 32));
        }
#pragma unroll
        for (int j = 0; j < N; j++) v += x[j];
        if (v == 1.2345f) o[0] = v;
        sum += clock64() - a;
    }
    if (threadIdx.x == 0) *t = sum;
}

__global__ void flight_read(const float *p, float *o, u mask, u n, int ilp) { // ilp independent loads at once, n floats in all, wrapping
    u i = blockIdx.x * blockDim.x + threadIdx.x, st = gridDim.x * blockDim.x;
    float s = 0;
    if (ilp == 1)
        for (; i < n; i += st) s += p[i & mask];
    else if (ilp == 2)
        for (; i + st < n; i += 2 * st) s += p[i & mask] + p[(i + st) & mask];
    else
        for (; i + 3 * st < n; i += 4 * st) s += (p[i & mask] + p[(i + st) & mask]) + (p[(i + 2 * st) & mask] + p[(i + 3 * st) & mask]);
    if (s == 1.2345f) *o = s;
}
__global__ void flight_copy(const float *p, float *o, u n, int ilp) {
    u i = blockIdx.x * blockDim.x + threadIdx.x, st = gridDim.x * blockDim.x;
    if (ilp == 1)
        for (; i < n; i += st) o[i] = p[i] + 1;
    else if (ilp == 2)
        for (; i + st < n; i += 2 * st) {
            float a = p[i], b = p[i + st];
            o[i] = a, o[i + st] = b;
        }
    else
        for (; i + 3 * st < n; i += 4 * st) {
            float a = p[i], b = p[i + st], c = p[i + 2 * st], d = p[i + 3 * st];
            o[i] = a, o[i + st] = b, o[i + 2 * st] = c, o[i + 3 * st] = d;
        }
}

template <class V> __device__ V plus(V a, V b) {
    if constexpr (sizeof(V) == 16) return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    else return a + b;
}
template <class V> __global__ void mix(const V *a, const V *b, V *c, u n, int reads) { // a write for each 1 or 2 reads, in order over the grid
    for (u i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = reads == 1 ? a[i] : plus(a[i], b[i]);
}

static float us(std::function<void()> f, int reps = 7) {
    for (int i = 0; i < 2; i++) f();
    CK(cudaDeviceSynchronize());
    cudaEvent_t a, b;
    cudaEventCreate(&a), cudaEventCreate(&b);
    std::vector<float> v;
    for (int i = 0; i < reps; i++) {
        float m;
        cudaEventRecord(a), f(), cudaEventRecord(b), cudaEventSynchronize(b), cudaEventElapsedTime(&m, a, b);
        v.push_back(m * 1e3f);
    }
    CK(cudaGetLastError());
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

int main() {
    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    void *buf;
    span *s;
    ull *t;
    CK(cudaMalloc(&buf, 1u << 30));
    CK(cudaMemset(buf, 0, 1u << 30));
    CK(cudaMalloc(&s, sizeof *s));
    CK(cudaMalloc(&t, 8));
    char name[96];
    for (auto f : {(const void *)lds<float>, (const void *)lds<float2>, (const void *)lds<float4>, (const void *)sts}) CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    auto spanned = [&](std::function<void()> f) {
        double best = 1e30;
        for (int i = 0; i < 3; i++) {
            span h = {~0ull, 0};
            cudaMemcpy(s, &h, sizeof h, cudaMemcpyHostToDevice);
            f();
            CK(cudaGetLastError());
            CK(cudaMemcpy(&h, s, sizeof h, cudaMemcpyDeviceToHost));
            best = std::min(best, (double)(h.hi - h.lo));
        }
        return best;
    };
    auto cycles = [&](std::function<void()> f) {
        ull h = 0;
        for (int i = 0; i < 2; i++) f();
        CK(cudaGetLastError());
        CK(cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost));
        return (double)h;
    };
#define X(NAME, T, C, INIT, ASM)                                                                                                              \
    out("issue", #NAME, spanned([&] { thr_##NAME<<<sms, 1024>>>((T *)buf, (T)INIT, s); }) / (64.0 * 32 * 8), "cycles/warp/scheduler");        \
    out("latency", #NAME, cycles([&] { lat_##NAME<<<1, 32>>>((T *)buf, (T)INIT, t); }) / 128, "cycles");
    OPS(X)
#undef X
    for (int th : {128, 256, 1024}) {
        sprintf(name, "known_uniform_%dthreads", th);
        out("const", name, spanned([&] { const_known<<<sms, th>>>((float *)buf, 1024, s); }) / 1024.0 / (th / 32), "cycles/warp/SM");
    }
    for (int w : {1, 2, 4, 8, 16, 32}) {
        sprintf(name, "words%d", w);
        out("const", name, spanned([&] { const_words<<<sms, 1024>>>((float *)buf, 256, w, s); }) / 256.0 / 32, "cycles/warp/SM");
    }
    for (int it : {64, 256, 512})
        for (int b : {32, 256, 1024})
            for (int per : {1, 8, 31}) {
                int g = sms * per * (b == 1024 ? 1 : 1);
                sprintf(name, "plain_it%d_%dthreads_%dblocks", it, b, per);
                out("const", name, (us([&] { const_plain<<<g, b>>>((float *)buf, it); }) - 4) * 1980 / ((double)it * per * b / 32), "cycles/warp/SM");
            }
    out("const", "words1_1warp", spanned([&] { const_words<<<1, 32>>>((float *)buf, 256, 1, s); }) / 256.0, "cycles/warp");
    out("const", "known_1warp", spanned([&] { const_known<<<1, 32>>>((float *)buf, 256, s); }) / 256.0, "cycles/warp");
    for (int st : {0, 1, 2, 4, 8, 16, 32}) {
        sprintf(name, "lds4_stride%d", st);
        out("shared", name, spanned([&] { lds<float><<<sms, 1024, 65536>>>((float *)buf, 1, st, s); }) / (512.0 * 32), "cycles/warp/SM");
    }
    for (int group : {1, 2, 4, 8, 16, 32}) {
        sprintf(name, "lds8_%dlanes_share", group);
        out("shared", name, spanned([&] { lds<float2><<<sms, 1024, 65536>>>((float *)buf, group, 1, s); }) / (512.0 * 32), "cycles/warp/SM");
        sprintf(name, "lds16_%dlanes_share", group);
        out("shared", name, spanned([&] { lds<float4><<<sms, 1024, 65536>>>((float *)buf, group, 1, s); }) / (512.0 * 32), "cycles/warp/SM");
        sprintf(name, "lds16_%dlanes_share_rows", group); // groups 128 bytes apart: the same banks
        out("shared", name, spanned([&] { lds<float4><<<sms, 1024, 65536>>>((float *)buf, group, 8, s); }) / (512.0 * 32), "cycles/warp/SM");
    }
    for (int st : {1, 2, 8, 32}) {
        sprintf(name, "sts4_stride%d", st);
        out("shared", name, spanned([&] { sts<<<sms, 1024, 65536>>>((float *)buf, st, s); }) / (512.0 * 32), "cycles/warp/SM");
    }
    const char *am[] = {"distinct", "one_address", "one_a_warp", "two_a_warp", "eight_a_warp", "random256"};
    for (int how = 0; how < 3; how++)
        for (int m = 0; m < 6; m++) {
            sprintf(name, "%s_%s", how == 0 ? "red_one" : how == 1 ? "red_value" : "atom_value", am[m]);
            out("shared", name, spanned([&] { atoms<<<sms, 1024, 32768>>>((u *)buf, m, how, s); }) / (128.0 * 32), "cycles/warp/SM");
        }
    for (int st : {0, 4, 8, 16, 32, 64, 128, 132}) {
        sprintf(name, "ldg4_apart%d", st);
        out("l1", name, spanned([&] { ldg_l1<4><<<sms, 1024>>>((float *)buf, (float *)buf + (1 << 20), st, s); }) / (128.0 * 32), "cycles/warp/SM");
    }
    for (int st : {0, 16, 32, 128}) {
        sprintf(name, "ldg16_apart%d", st);
        out("l1", name, spanned([&] { ldg_l1<16><<<sms, 1024>>>((float *)buf, (float *)buf + (1 << 20), st, s); }) / (128.0 * 32), "cycles/warp/SM");
    }
    for (u mb : {8u, 16u, 32u})
        for (u ap : {4u, 8u, 16u, 32u, 64u, 128u}) {
            sprintf(name, "l2_read_%uMB_apart%u", mb, ap);
            float a = us([&] { l2_read<<<sms * 8, 256>>>((char *)buf, (float *)buf, mb << 20, ap, 128); });
            double sectors = (double)sms * 8 * 256 * 128 * std::min(1.0, ap / 32.0);
            out("l2", name, sectors / (a * 1e3), "sectors/ns");
        }
    for (size_t mb : {16, 1024}) {
        float a = us([&] { write4<<<sms * 8, 256>>>((float *)buf, mb << 18); });
        sprintf(name, "write4_%zuMB", mb);
        out("bandwidth", name, (mb << 20) / (a * 1e3), "GB/s");
        a = us([&] { write16<<<sms * 8, 256>>>((float4 *)buf, mb << 16); });
        sprintf(name, "write16_%zuMB", mb);
        out("bandwidth", name, (mb << 20) / (a * 1e3), "GB/s");
        a = us([&] { scatter<<<sms * 8, 256>>>((float *)buf, (u)(mb << 15), 32); });
        sprintf(name, "scatter_%zuMB", mb);
        out("bandwidth", name, sms * 8 * 256.0 * 32 / (a * 1e3), "sectors/ns");
    }
    for (int reads : {1, 2})
        for (int whole : {0, 1}) { // whole: a thread an element
            u n = 1u << 26;
            float *a = (float *)buf, *b = a + n, *c = b + n;
            float t4 = us([&] { mix<float><<<whole ? n / 256 : sms * 8, 256>>>(a, b, c, n, reads); }, 5);
            float t16 = us([&] { mix<float4><<<whole ? n / 4 / 256 : sms * 8, 256>>>((float4 *)a, (float4 *)b, (float4 *)c, n / 4, reads); }, 5);
            sprintf(name, "mix_%dreads_4B_%s", reads, whole ? "one_each" : "resident");
            out("flight", name, 4.0 * n * (reads + 1) / (t4 * 1e3), "GB/s");
            sprintf(name, "mix_%dreads_16B_%s", reads, whole ? "one_each" : "resident");
            out("flight", name, 4.0 * n * (reads + 1) / (t16 * 1e3), "GB/s");
        }
    for (int bl : {1, 2, 4, 8})
        for (int th : {64, 256})
            for (int ilp : {1, 2, 4}) {
                u n = 1u << 26;
                float a = us([&] { flight_copy<<<sms * bl, th>>>((float *)buf, (float *)buf + n, n, ilp); }, 5);
                sprintf(name, "copy_%dblocks_%dthreads_ilp%d", bl, th, ilp);
                out("flight", name, 8.0 * n / (a * 1e3), "GB/s");
                n = 1u << 28;
                a = us([&] { flight_read<<<sms * bl, th>>>((float *)buf, (float *)buf, (1u << 22) - 1, n, ilp); }, 5);
                sprintf(name, "l2_%dblocks_%dthreads_ilp%d", bl, th, ilp);
                out("flight", name, 4.0 * n / (a * 1e3), "GB/s");
            }
    for (int ret : {0, 1})
        for (int m = 0; m <= 11; m++) {
            float a = us([&] { atomg<<<sms * 4, 512>>>((u *)buf, m, 16, ret, 1); });
            sprintf(name, "mode%d_%s", m, ret ? "atom" : "red");
            out("atomic", name, (double)sms * 4 * 512 * 16 / (a * 1e3), "lanes/ns");
        }
    out("control", "loop_empty", cycles([&] { loop_empty<<<1, 32>>>((u *)buf, 1024, t); }) / 1024, "cycles");
    out("control", "branch_uniform", cycles([&] { branch_split<<<1, 32>>>((u *)buf, 256, t, 32); }) / 256, "cycles");
    out("control", "branch_divergent", cycles([&] { branch_split<<<1, 32>>>((u *)buf, 256, t, 1); }) / 256, "cycles");
    out("control", "s2r", cycles([&] { sreg<<<1, 32>>>((u *)buf, t); }) / 32, "cycles");
    for (size_t mb : {4, 24, 1000}) {
        u lines = (u)(mb << 13);
        double v[4] = {cycles([&] { spread<1><<<1, 32>>>((float *)buf, (float *)buf, t, lines, 2000); }), cycles([&] { spread<2><<<1, 32>>>((float *)buf, (float *)buf, t, lines, 2000); }),
                       cycles([&] { spread<4><<<1, 32>>>((float *)buf, (float *)buf, t, lines, 2000); }), cycles([&] { spread<16><<<1, 32>>>((float *)buf, (float *)buf, t, lines, 2000); })};
        for (int i = 0; i < 4; i++) {
            sprintf(name, "random_%zuMB_%d_at_once", mb, i < 3 ? 1 << i : 16);
            out("spread", name, v[i] / 2000, "cycles");
        }
    }
    for (int b : {32, 64, 128, 256, 512, 1024}) {
        int g = 132000;
        float a = us([&] { nop<<<g, b>>>(); });
        sprintf(name, "nop_%dthreads", b);
        out("blocks", name, a * 1e3 / g, "ns/block");
    }
    CK(cudaFuncSetAttribute(nop_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int kb : {1, 12, 25, 50, 100, 200})
        for (int b : {32, 256}) {
            int g = 13200;
            float a = us([&] { nop_shared<<<g, b, kb << 10>>>(); });
            sprintf(name, "nop_%dthreads_%dKB", b, kb);
            out("blocks", name, a * 1e3 / g, "ns/block");
        }
    for (int b : {32, 64, 128, 256, 512, 1024}) {
        int n = 1 << 22;
        float a = us([&] { one_load<<<n / b, b>>>((float *)buf, (float *)buf + (1 << 24)); });
        sprintf(name, "one_load_%dthreads_4M", b);
        out("blocks", name, a * 1e3 / (n / b), "ns/block");
        n = 1 << 26;
        a = us([&] { one_load<<<n / b, b>>>((float *)buf, (float *)buf + (1 << 26)); });
        sprintf(name, "one_load_%dthreads_64M", b);
        out("blocks", name, a * 1e3 / (n / b), "ns/block");
        a = us([&] { one_store<<<n / b, b>>>((float *)buf); });
        sprintf(name, "one_store_%dthreads_64M", b);
        out("blocks", name, a * 1e3 / (n / b), "ns/block");
    }
    CK(cudaDeviceSynchronize());
    return 0;
}
