// wgmma in every type and layout: shared memory is filled by the ISA's canonical layouts (9.7.15.5.1.2), registers by its figures, the
// products are computed on the host. Whole numbers so small that any order of accumulation gives the same bits.
// arch: sm_90a
// expect: f16 no swizzle ok
// expect: f16 32-byte swizzle ok
// expect: f16 64-byte swizzle ok
// expect: f16 128-byte swizzle ok
// expect: f16 no swizzle, A and B transposed ok
// expect: f16 32-byte swizzle, A and B transposed ok
// expect: f16 64-byte swizzle, A and B transposed ok
// expect: f16 128-byte swizzle, A and B transposed ok
// expect: f16 A in registers, no swizzle ok
// expect: f16 A in registers, B transposed, 128-byte swizzle ok
// expect: f16 four steps of K, no swizzle ok
// expect: f16 four steps of K, 128-byte swizzle ok
// expect: f16 pattern off its boundary, 128-byte swizzle ok
// expect: f16 pattern off its boundary, 64-byte swizzle ok
// expect: f16 without scale-d ok
// expect: f16 A negated ok
// expect: f16 A and B negated ok
// expect: f16 n256 no swizzle ok
// expect: f16 n256 A transposed, B transposed, 128-byte swizzle ok
// expect: f16 n256 A transposed, B transposed, 64-byte swizzle ok
// expect: f16.f16 n64 ok
// expect: f16.f16 n24, A in registers ok
// expect: bf16 n8 ok
// expect: bf16 n24, A in registers, B transposed ok
// expect: tf32 n64 no swizzle ok
// expect: tf32 n64 128-byte swizzle ok
// expect: tf32 n8, A in registers ok
// expect: e4m3.e5m2 n64 ok
// expect: e5m2.e4m3 n8 f16, A in registers ok
// expect: s8.s8 n64 no swizzle ok
// expect: s8.s8 n64 128-byte swizzle ok
// expect: u8.s8 n24, A in registers ok
// expect: s8.u8 n8 32-byte swizzle ok
// expect: b1 n8 ok
// expect: b1 n8, A in registers ok
// expect: four products at once ok
// expect: satfinite 2147483647, wraps -2147483147
#include "common.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>
#include <vector>

typedef unsigned long long u64;

// nvcc -arch=sm_90a makes PTX of compute_90, too, for other devices: without these instructions.
#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__
#define ONLY(...) __VA_ARGS__
#else
#define ONLY(...)
#endif

// ---- kernels: one a shape. Shared memory is `image`, from a multiple of 1024 bytes on; descriptors count from there.
struct arguments {
    const uint4 *image;
    unsigned words; // of 16 bytes
    u64 a, b;       // descriptors
    unsigned a_step, b_step, steps; // of K; 16 bytes each
    const unsigned *ra, *init;
    unsigned *out;
    int keep; // scale-d of the first step
};

#define D10(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define L2 "{%0,%1}"
#define L4 "{%0,%1,%2,%3}"
#define L6 "{%0,%1,%2,%3,%4,%5}"
#define L8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define L12 "{" D10() "%10,%11}"
#define L16 "{" D10() "%10,%11,%12,%13,%14,%15}"
#define L32 "{" D10() D10(1) D10(2) "%30,%31}"
#define L128                                                                                                                \
    "{" D10() D10(1) D10(2) D10(3) D10(4) D10(5) D10(6) D10(7) D10(8) D10(9) D10(10) D10(11)                                \
        "%120,%121,%122,%123,%124,%125,%126,%127}"
#define O2(i) "+r"(d[i]), "+r"(d[i + 1])
#define O4(i) O2(i), O2(i + 2)
#define O6(i) O4(i), O2(i + 4)
#define O8(i) O4(i), O4(i + 4)
#define O12(i) O8(i), O4(i + 8)
#define O16(i) O8(i), O8(i + 8)
#define O32(i) O16(i), O16(i + 16)
#define O128(i) O32(i), O32(i + 32), O32(i + 64), O32(i + 96)

#define KERNEL(id, R, A, B, P, insn, tail)                                                                                  \
    __global__ void id(arguments k) {                                                                                       \
        extern __shared__ __align__(1024) unsigned char room[];                                                             \
        unsigned base = ((unsigned)__cvta_generic_to_shared(room) + 1023) & ~1023u;                                         \
        uint4 *to = (uint4 *)__cvta_shared_to_generic(base);                                                                \
        for (unsigned i = threadIdx.x; i < k.words; i += blockDim.x) to[i] = k.image[i];                                    \
        asm volatile("fence.proxy.async;" ::: "memory");                                                                    \
        __syncthreads();                                                                                                    \
        unsigned d[R], a[4], t = threadIdx.x;                                                                               \
        for (int r = 0; r < R; r++) d[r] = k.init[t * R + r];                                                               \
        for (int r = 0; r < 4; r++) a[r] = k.ra[t * 4 + r];                                                                 \
        u64 da = k.a + (base >> 4), db = k.b + (base >> 4);                                                                 \
        for (unsigned s = 0; s < k.steps; s++, da += k.a_step, db += k.b_step)                                              \
            ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P ", 0;\nwgmma.fence.sync.aligned;\n"                          \
                         "wgmma.mma_async.sync.aligned." insn " " L##R ", " A ", " B ", p" tail ";\n"                       \
                         "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"                            \
                         : O##R(0) : "l"(da), "l"(db), "r"(s ? 1 : k.keep), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])      \
                         : "memory");)                                                                                      \
        for (int r = 0; r < R; r++) k.out[t * R + r] = d[r];                                                                \
    }
// A by descriptor; A in registers
#define SS2(id, insn, tail) KERNEL(id, 2, "%2", "%3", "%4", insn, tail)
#define SS4(id, insn, tail) KERNEL(id, 4, "%4", "%5", "%6", insn, tail)
#define SS16(id, insn, tail) KERNEL(id, 16, "%16", "%17", "%18", insn, tail)
#define SS32(id, insn, tail) KERNEL(id, 32, "%32", "%33", "%34", insn, tail)
#define SS128(id, insn, tail) KERNEL(id, 128, "%128", "%129", "%130", insn, tail)
#define RS2(id, insn, tail) KERNEL(id, 2, "{%5,%6,%7,%8}", "%3", "%4", insn, tail)
#define RS4(id, insn, tail) KERNEL(id, 4, "{%7,%8,%9,%10}", "%5", "%6", insn, tail)
#define RS6(id, insn, tail) KERNEL(id, 6, "{%9,%10,%11,%12}", "%7", "%8", insn, tail)
#define RS12(id, insn, tail) KERNEL(id, 12, "{%15,%16,%17,%18}", "%13", "%14", insn, tail)
#define RS32(id, insn, tail) KERNEL(id, 32, "{%35,%36,%37,%38}", "%33", "%34", insn, tail)

SS32(f16_kk, "m64n64k16.f32.f16.f16", ", 1, 1, 0, 0")
SS32(f16_tt, "m64n64k16.f32.f16.f16", ", 1, 1, 1, 1")
SS32(f16_nk, "m64n64k16.f32.f16.f16", ", -1, 1, 0, 0")
SS32(f16_nn, "m64n64k16.f32.f16.f16", ", -1, -1, 0, 0")
RS32(f16_rk, "m64n64k16.f32.f16.f16", ", 1, 1, 0")
RS32(f16_rt, "m64n64k16.f32.f16.f16", ", 1, 1, 1")
SS128(f16_256kk, "m64n256k16.f32.f16.f16", ", 1, 1, 0, 0")
SS128(f16_256tt, "m64n256k16.f32.f16.f16", ", 1, 1, 1, 1")
SS16(f16_h64, "m64n64k16.f16.f16.f16", ", 1, 1, 0, 0")
RS6(f16_h24, "m64n24k16.f16.f16.f16", ", 1, 1, 0")
SS4(bf16_8, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")
RS12(bf16_24, "m64n24k16.f32.bf16.bf16", ", 1, 1, 1")
SS32(tf32_64, "m64n64k8.f32.tf32.tf32", ", 1, 1")
RS4(tf32_8, "m64n8k8.f32.tf32.tf32", ", 1, 1")
SS32(e4e5_64, "m64n64k32.f32.e4m3.e5m2", ", 1, 1")
RS2(e5e4_8, "m64n8k32.f16.e5m2.e4m3", ", 1, 1")
SS32(s8s8_64, "m64n64k32.s32.s8.s8", "")
RS12(u8s8_24, "m64n24k32.s32.u8.s8", "")
SS4(s8u8_8, "m64n8k32.s32.s8.u8", "")
SS4(b1_8, "m64n8k256.s32.b1.b1.and.popc", "")
RS4(b1_r8, "m64n8k256.s32.b1.b1.and.popc", "")
SS4(s8_sat, "m64n8k32.s32.s8.s8.satfinite", "")
SS4(s8_wrap, "m64n8k32.s32.s8.s8", "")

// Four steps of K in one group, descriptors 32 bytes apart: none waits for the one before.
__global__ void f16_group(arguments k) {
    extern __shared__ __align__(1024) unsigned char room[];
    unsigned base = ((unsigned)__cvta_generic_to_shared(room) + 1023) & ~1023u, d[32], t = threadIdx.x;
    uint4 *to = (uint4 *)__cvta_shared_to_generic(base);
    for (unsigned i = t; i < k.words; i += blockDim.x) to[i] = k.image[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    u64 da = k.a + (base >> 4), db = k.b + (base >> 4);
#define NEXT(x) "add.s64 a, %32, " #x ";\nadd.s64 b, %33, " #x ";\n"
#define ONE(p) "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " L32 ", a, b, " #p ", 1, 1, 0, 0;\n"
    ONLY(asm volatile("{\n.reg .b64 a, b;\nwgmma.fence.sync.aligned;\n" NEXT(0) ONE(0) NEXT(2) ONE(1) NEXT(4) ONE(1) NEXT(6) ONE(1)
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
                 : O32(0) : "l"(da), "l"(db) : "memory");)
    for (int r = 0; r < 32; r++) k.out[t * 32 + r] = d[r];
}

// ---- element types: bits of a small integer, and back
enum type { F16, BF16, TF32, E4M3, E5M2, U8, S8, B1, F32, S32 };
static const int width[] = {16, 16, 32, 8, 8, 8, 8, 1, 32, 32};
static unsigned put(type t, int v) {
    float f = v;
    unsigned w;
    switch (t) {
    case F16: return __half_as_ushort(__float2half(f));
    case BF16: return __bfloat16_as_ushort(__float2bfloat16(f));
    case E4M3: return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
    case E5M2: return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
    case TF32:
    case F32: memcpy(&w, &f, 4); return w;
    default: return t == S32 ? (unsigned)v : (unsigned)v & ((1u << width[t]) - 1);
    }
}
static double get(type t, unsigned x) {
    float f;
    if (t == F16) return __half2float(__ushort_as_half((unsigned short)x));
    if (t == S32) return (int)x;
    memcpy(&f, &x, 4);
    return f;
}
static unsigned seed = 1;
static int draw(type t) {
    seed = seed * 1664525 + 1013904223;
    int r = seed >> 20;
    return t == B1 ? r & 1 : t == U8 ? r % 16 : t == S32 ? r % 1000 - 500 : r % 9 - 4;
}

// ---- shared memory: the table of canonical layouts, strides in elements
struct layout {
    int mode; // 0: no swizzle, 1: 128, 2: 64, 3: 32 bytes
    bool transposed;
    int leading, stride; // bytes
};
static int width_of(int mode) { return mode == 0 ? 1 : mode == 1 ? 8 : mode == 2 ? 4 : 2; }
// Bytes and bits from the start of the pattern to element (mn, k).
static size_t place(const layout &l, int bits, int mn, int k) {
    int T = 128 / bits, W = width_of(l.mode), lbo = l.leading * 8 / bits, sbo = l.stride * 8 / bits;
    size_t at;
    if (l.transposed && W == 1) at = mn % T + (mn / T) * sbo + (k % 8) * T + (k / 8) * lbo;
    else if (l.transposed) at = mn % T + (mn / T % W) * T + (mn / T / W) * lbo + (k % 8) * W * T + (k / 8) * sbo;
    else if (W == 1) at = (mn % 8) * T + (mn / 8) * sbo + k % T + (k / T) * lbo;
    else at = (mn % 8) * W * T + (mn / 8) * sbo + k;
    size_t bit = at * bits, byte = bit / 8;
    byte ^= (byte >> 7 & (W - 1)) << 4; // Swizzle<log2 W, 4, 3>
    return byte * 8 + bit % 8;
}
static u64 descriptor(const layout &l, size_t from, int off) {
    auto encode = [](u64 x) { return (x & 0x3ffff) >> 4; };
    return encode(from) | encode(l.leading) << 16 | encode(l.stride) << 32 | (u64)off << 49 | (u64)l.mode << 62;
}
// The least room for rows x k elements: atoms of 8 x W or W x 8 units of 16 bytes, first along MN.
static layout choose(int mode, bool transposed, int bits, int mn, int k) {
    int T = 128 / bits, W = width_of(mode);
    layout l = {mode, transposed, 16, 0};
    if (transposed && W == 1) l.stride = 128, l.leading = mn / T * 128;
    else if (transposed) l.leading = 128 * W, l.stride = (mn / T + W - 1) / W * 128 * W;
    else if (W == 1) l.stride = 128, l.leading = mn / 8 * 128;
    else l.stride = 128 * W;
    (void)k;
    return l;
}

// ---- one product
struct how {
    int mode = 0;
    bool ta = false, tb = false, registers = false;
    int steps = 1, off = 0, sign = 1; // off: of the pattern, in 128 bytes
    bool keep = true;
    void (*group)(arguments) = nullptr;
};
static int A[64][256], B[256][256], C[64][256];

static void run(const char *name, void (*kernel)(arguments), type ta, type tb, type tc, int n, how h = {}) {
    int bits = width[ta], each = 256 / bits, k = each * h.steps, per = 32 / width[tc], regs = n / 2 / per;
    for (int i = 0; i < 64; i++)
        for (int x = 0; x < k; x++) A[i][x] = draw(ta);
    for (int x = 0; x < k; x++)
        for (int j = 0; j < n; j++) B[x][j] = draw(tb);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < n; j++) C[i][j] = draw(tc == S32 ? S32 : F16);

    layout la = choose(h.mode, h.ta, bits, 64, k), lb = choose(h.mode, h.tb, bits, n, k);
    size_t from_a = 128 * h.off, from_b = 65536 + 128 * h.off, bytes = 131072;
    std::vector<unsigned char> image(bytes);
    auto store = [&](size_t from, size_t bit, unsigned v) {
        size_t at = from + bit / 8;
        if (at + bits / 8 > bytes) printf("%s: the image is too small\n", name), exit(1);
        if (bits == 1) image[at] |= v << bit % 8;
        else memcpy(&image[at], &v, bits / 8);
    };
    for (int i = 0; i < 64; i++)
        for (int x = 0; x < k; x++) store(from_a, place(la, bits, i, x), put(ta, A[i][x]));
    for (int j = 0; j < n; j++)
        for (int x = 0; x < k; x++) store(from_b, place(lb, bits, j, x), put(tb, B[x][j]));

    // registers of A, of the accumulators: element e of register r of thread t
    std::vector<unsigned> ra(128 * 4), init(128 * regs), out(128 * regs);
    auto row_c = [&](int t, int i) { return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8; };
    auto col_c = [&](int t, int i) { return i / 4 * 8 + t % 4 * 2 + i % 2; };
    for (int t = 0; t < 128; t++) {
        for (int i = 0; i < 4 * (32 / bits); i++) {
            int r = i / (32 / bits), e = i % (32 / bits);
            int row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8, col = (t % 4 + r / 2 * 4) * (32 / bits) + e;
            ra[t * 4 + r] |= put(ta, A[row][col]) << e * (bits % 32);
        }
        for (int i = 0; i < regs * per; i++)
            init[t * regs + i / per] |= put(tc, C[row_c(t, i)][col_c(t, i)]) << i % per * (width[tc] % 32);
    }

    unsigned char *image_d;
    unsigned *mem;
    CK(cudaMalloc(&image_d, bytes));
    CK(cudaMalloc(&mem, (512 + 2 * 128 * regs) * 4));
    CK(cudaMemcpy(image_d, image.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mem, ra.data(), 2048, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mem + 512, init.data(), 128 * regs * 4, cudaMemcpyHostToDevice));
    unsigned step = h.mode ? 2 : 0; // 32 bytes further in a row that is swizzled as a whole
    arguments g = {(const uint4 *)image_d, (unsigned)(bytes / 16), descriptor(la, from_a, h.mode ? h.off % 8 : 0),
                   descriptor(lb, from_b, h.mode ? h.off % 8 : 0), step ? step : 2u * la.leading / 16,
                   step ? step : 2u * lb.leading / 16, (unsigned)h.steps, mem, mem + 512, mem + 512 + 128 * regs, h.keep};
    auto launch = h.group ? h.group : kernel;
    CK(cudaFuncSetAttribute(launch, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes + 1024));
    launch<<<1, 128, bytes + 1024>>>(g);
    CK(cudaMemcpy(out.data(), g.out, 128 * regs * 4, cudaMemcpyDeviceToHost));
    CK(cudaFree(image_d));
    CK(cudaFree(mem));

    int bad = 0;
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < regs * per; i++) {
            int row = row_c(t, i), col = col_c(t, i), want = h.keep && !h.group ? C[row][col] : 0;
            for (int x = 0; x < k; x++) want += h.sign * A[row][x] * B[x][col];
            unsigned word = out[t * regs + i / per] >> i % per * (width[tc] % 32);
            if (per == 2) word &= 0xffff;
            double got = get(tc, word);
            if (got != want && !bad++) printf("%s: row %d, column %d is %g, not %d\n", name, row, col, got, want);
        }
    printf("%s %s\n", name, bad ? "WRONG" : "ok");
}

static int limit(void (*kernel)(arguments)) {
    std::vector<unsigned char> image(16384, 1); // A and B are ones: each sum is 32
    std::vector<unsigned> words(512 + 512, INT32_MAX - 10);
    unsigned char *image_d;
    unsigned *mem;
    CK(cudaMalloc(&image_d, image.size()));
    CK(cudaMalloc(&mem, 6144));
    CK(cudaMemcpy(image_d, image.data(), image.size(), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mem, words.data(), 4096, cudaMemcpyHostToDevice));
    layout l = choose(0, false, 8, 64, 32);
    arguments g = {(const uint4 *)image_d, 1024, descriptor(l, 0, 0), descriptor(l, 8192, 0), 0, 0, 16, mem, mem + 512, mem + 1024, 1};
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384 + 1024));
    kernel<<<1, 128, 16384 + 1024>>>(g);
    CK(cudaMemcpy(words.data(), g.out, 2048, cudaMemcpyDeviceToHost));
    CK(cudaFree(image_d));
    CK(cudaFree(mem));
    return words[77];
}

int main() {
    static const char *const swizzle[] = {"no swizzle", "128-byte swizzle", "64-byte swizzle", "32-byte swizzle"};
    static const int order[] = {0, 3, 2, 1};
    char name[80];
    for (int m : order) {
        how h;
        h.mode = m;
        snprintf(name, sizeof name, "f16 %s", swizzle[m]);
        run(name, f16_kk, F16, F16, F32, 64, h);
    }
    for (int m : order) {
        how h;
        h.mode = m, h.ta = h.tb = true;
        snprintf(name, sizeof name, "f16 %s, A and B transposed", swizzle[m]);
        run(name, f16_tt, F16, F16, F32, 64, h);
    }
    auto with = [](auto set) { how h; set(h); return h; };
    run("f16 A in registers, no swizzle", f16_rk, F16, F16, F32, 64);
    run("f16 A in registers, B transposed, 128-byte swizzle", f16_rt, F16, F16, F32, 64, with([](how &h) { h.mode = 1, h.tb = true; }));
    run("f16 four steps of K, no swizzle", f16_kk, F16, F16, F32, 64, with([](how &h) { h.steps = 4; }));
    run("f16 four steps of K, 128-byte swizzle", f16_kk, F16, F16, F32, 64, with([](how &h) { h.steps = 4, h.mode = 1; }));
    run("f16 pattern off its boundary, 128-byte swizzle", f16_kk, F16, F16, F32, 64, with([](how &h) { h.mode = 1, h.off = 3; }));
    run("f16 pattern off its boundary, 64-byte swizzle", f16_kk, F16, F16, F32, 64, with([](how &h) { h.mode = 2, h.off = 6; }));
    run("f16 without scale-d", f16_kk, F16, F16, F32, 64, with([](how &h) { h.keep = false; }));
    run("f16 A negated", f16_nk, F16, F16, F32, 64, with([](how &h) { h.sign = -1; }));
    run("f16 A and B negated", f16_nn, F16, F16, F32, 64);
    run("f16 n256 no swizzle", f16_256kk, F16, F16, F32, 256);
    run("f16 n256 A transposed, B transposed, 128-byte swizzle", f16_256tt, F16, F16, F32, 256, with([](how &h) { h.mode = 1, h.ta = h.tb = true; }));
    run("f16 n256 A transposed, B transposed, 64-byte swizzle", f16_256tt, F16, F16, F32, 256, with([](how &h) { h.mode = 2, h.ta = h.tb = true; }));
    run("f16.f16 n64", f16_h64, F16, F16, F16, 64);
    run("f16.f16 n24, A in registers", f16_h24, F16, F16, F16, 24);
    run("bf16 n8", bf16_8, BF16, BF16, F32, 8);
    run("bf16 n24, A in registers, B transposed", bf16_24, BF16, BF16, F32, 24, with([](how &h) { h.tb = true; }));
    run("tf32 n64 no swizzle", tf32_64, TF32, TF32, F32, 64);
    run("tf32 n64 128-byte swizzle", tf32_64, TF32, TF32, F32, 64, with([](how &h) { h.mode = 1; }));
    run("tf32 n8, A in registers", tf32_8, TF32, TF32, F32, 8);
    run("e4m3.e5m2 n64", e4e5_64, E4M3, E5M2, F32, 64);
    run("e5m2.e4m3 n8 f16, A in registers", e5e4_8, E5M2, E4M3, F16, 8);
    run("s8.s8 n64 no swizzle", s8s8_64, S8, S8, S32, 64);
    run("s8.s8 n64 128-byte swizzle", s8s8_64, S8, S8, S32, 64, with([](how &h) { h.mode = 1; }));
    run("u8.s8 n24, A in registers", u8s8_24, U8, S8, S32, 24);
    run("s8.u8 n8 32-byte swizzle", s8u8_8, S8, U8, S32, 8, with([](how &h) { h.mode = 3; }));
    run("b1 n8", b1_8, B1, B1, S32, 8);
    run("b1 n8, A in registers", b1_r8, B1, B1, S32, 8);
    run("four products at once", f16_kk, F16, F16, F32, 64, with([](how &h) { h.mode = 1, h.steps = 4, h.group = f16_group; }));
    printf("satfinite %d, wraps %d\n", limit(s8_sat), limit(s8_wrap));
}
