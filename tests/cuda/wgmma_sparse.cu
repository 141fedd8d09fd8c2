// wgmma.mma_async.sp in every type: half of A is zeros that nobody holds. Shared memory is filled by the ISA's canonical layouts (9.7.15.5.1.2), A's
// places stand in the metadata by 9.7.15.6.2, lanes that the selector leaves out hold other bits; the products are computed on the host from A in full.
// arch: sm_90a
// expect: f16 ok
// expect: f16 128-byte swizzles ok
// expect: f16 64-byte swizzles ok
// expect: f16 A in a 32-byte swizzle, selector 1 ok
// expect: f16 transposed, selector 1 ok
// expect: f16 transposed, 128-byte swizzles ok
// expect: f16 transposed, B in a 32-byte swizzle ok
// expect: f16 A negated ok
// expect: f16 without scale-d ok
// expect: f16 A in registers ok
// expect: f16 A in registers, B transposed, selector 1 ok
// expect: f16 n256 ok
// expect: f16.f16 n64 ok
// expect: bf16 n8, selector 1 ok
// expect: bf16 n24, A in registers, B transposed ok
// expect: tf32 n64 ok
// expect: tf32 n8, A in registers, selector 1 ok
// expect: e4m3.e5m2 n64 ok
// expect: e5m2.e4m3 n8 f16, A in registers ok
// expect: s8.s8 n64 ok
// expect: u8.s8 n24, A in registers ok
// expect: s8.u8 n8 ok
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
    const unsigned *ra, *init, *meta;
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

#define KERNEL(id, R, A, B, E, P, insn, tail)                                                                               \
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
        ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P ", 0;\nwgmma.fence.sync.aligned;\n"                         \
                     "wgmma.mma_async.sp.sync.aligned." insn " " L##R ", " A ", " B ", " E ", p" tail ";\n"                 \
                     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"                                \
                     : O##R(0) : "l"(da), "l"(db), "r"(k.keep), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(k.meta[t])   \
                     : "memory");)                                                                                          \
        for (int r = 0; r < R; r++) k.out[t * R + r] = d[r];                                                                \
    }
// A by descriptor; A in registers
#define SS4(id, insn, sel, tail) KERNEL(id, 4, "%4", "%5", "%11, " #sel, "%6", insn, tail)
#define SS32(id, insn, sel, tail) KERNEL(id, 32, "%32", "%33", "%39, " #sel, "%34", insn, tail)
#define SS16(id, insn, sel, tail) KERNEL(id, 16, "%16", "%17", "%23, " #sel, "%18", insn, tail)
#define SS128(id, insn, sel, tail) KERNEL(id, 128, "%128", "%129", "%135, " #sel, "%130", insn, tail)
#define RS2(id, insn, sel, tail) KERNEL(id, 2, "{%5,%6,%7,%8}", "%3", "%9, " #sel, "%4", insn, tail)
#define RS4(id, insn, sel, tail) KERNEL(id, 4, "{%7,%8,%9,%10}", "%5", "%11, " #sel, "%6", insn, tail)
#define RS12(id, insn, sel, tail) KERNEL(id, 12, "{%15,%16,%17,%18}", "%13", "%19, " #sel, "%14", insn, tail)
#define RS32(id, insn, sel, tail) KERNEL(id, 32, "{%35,%36,%37,%38}", "%33", "%39, " #sel, "%34", insn, tail)

SS32(f16_kk, "m64n64k32.f32.f16.f16", 0, ", 1, 1, 0, 0")
SS32(f16_kk1, "m64n64k32.f32.f16.f16", 1, ", 1, 1, 0, 0")
SS32(f16_tt, "m64n64k32.f32.f16.f16", 1, ", 1, 1, 1, 1")
SS32(f16_nk, "m64n64k32.f32.f16.f16", 0, ", -1, 1, 0, 0")
RS32(f16_rk, "m64n64k32.f32.f16.f16", 0, ", 1, 1, 0")
RS32(f16_rt, "m64n64k32.f32.f16.f16", 1, ", 1, 1, 1")
SS128(f16_256, "m64n256k32.f32.f16.f16", 0, ", 1, 1, 0, 0")
SS16(f16_h64, "m64n64k32.f16.f16.f16", 0, ", 1, 1, 0, 0")
SS4(bf16_8, "m64n8k32.f32.bf16.bf16", 1, ", 1, 1, 0, 0")
RS12(bf16_24, "m64n24k32.f32.bf16.bf16", 0, ", 1, 1, 1")
SS32(tf32_64, "m64n64k16.f32.tf32.tf32", 0, ", 1, 1")
RS4(tf32_8, "m64n8k16.f32.tf32.tf32", 1, ", 1, 1")
SS32(e4e5_64, "m64n64k64.f32.e4m3.e5m2", 0, ", 1, 1")
RS2(e5e4_8, "m64n8k64.f16.e5m2.e4m3", 0, ", 1, 1")
SS32(s8s8_64, "m64n64k64.s32.s8.s8", 0, "")
RS12(u8s8_24, "m64n24k64.s32.u8.s8", 0, "")
SS4(s8u8_8, "m64n8k64.satfinite.s32.s8.u8", 0, "")

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
    int ma = 0, mb = 0; // swizzles of A and B
    bool ta = false, tb = false;
    int sign = 1, selector = 0;
    bool keep = true;
};
static int A[64][64], H[64][32], B[64][256], C[64][256]; // A in full, and as it is held
static unsigned meta[128];

// Two of four elements, in their order, or one of two: A, H, and the metadata's bits.
static void halve(type t, int k, int selector) {
    for (auto &m : meta) m = 0x4e4e4e4e; // valid, and not what is meant
    memset(A, 0, sizeof A);
    for (int i = 0; i < 64; i++) {
        int row = i % 16, g = row % 8, below = row / 8;
        auto tell = [&](int lane, int bit, unsigned four) {
            unsigned &m = meta[i / 16 * 32 + 4 * g + lane];
            m = (m & ~(15u << bit)) | four << bit;
        };
        for (int c = 0; c < k * width[t] / (width[t] == 8 ? 32 : 64); c++) {
            unsigned four;
            seed = seed * 1664525 + 1013904223;
            if (t == TF32) {
                int one = seed >> 30 & 1;
                H[i][c] = A[i][2 * c + one] = draw(t), four = one ? 14 : 4;
            } else {
                static const int twos[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
                const int *at = twos[(seed >> 24) % 6];
                for (int e = 0; e < 2; e++) H[i][2 * c + e] = A[i][4 * c + at[e]] = draw(t);
                four = at[0] | at[1] << 2;
            }
            if (width[t] == 8) tell(below + c / 8 * 2, c % 8 * 4, four);
            else tell(2 * selector + c / 4, c % 4 * 4 + 16 * below, four);
        }
    }
}
static void run(const char *name, void (*kernel)(arguments), type ta, type tb, type tc, int n, how h = {}) {
    int bits = width[ta], k = 512 / bits, per = 32 / width[tc], regs = n / 2 / per;
    halve(ta, k, h.selector);
    for (int x = 0; x < k; x++)
        for (int j = 0; j < n; j++) B[x][j] = draw(tb);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < n; j++) C[i][j] = draw(tc == S32 ? S32 : F16);
    layout la = choose(h.ma, h.ta, bits, 64, k / 2), lb = choose(h.mb, h.tb, bits, n, k);
    size_t from_b = 65536, bytes = 131072;
    std::vector<unsigned char> image(bytes);
    auto store = [&](size_t from, size_t bit, unsigned v) { memcpy(&image[from + bit / 8], &v, bits / 8); };
    for (int i = 0; i < 64; i++)
        for (int x = 0; x < k / 2; x++) store(0, place(la, bits, i, x), put(ta, H[i][x]));
    for (int j = 0; j < n; j++)
        for (int x = 0; x < k; x++) store(from_b, place(lb, bits, j, x), put(tb, B[x][j]));
    std::vector<unsigned> ra(512), init(128 * regs), out(128 * regs);
    auto row_c = [](int t, int i) { return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8; };
    auto col_c = [](int t, int i) { return i / 4 * 8 + t % 4 * 2 + i % 2; };
    for (int t = 0; t < 128; t++) {
        for (int i = 0; i < 4 * (32 / bits); i++) {
            int r = i / (32 / bits), e = i % (32 / bits);
            int row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8, col = (t % 4 + r / 2 * 4) * (32 / bits) + e;
            ra[t * 4 + r] |= put(ta, H[row][col]) << e * (bits % 32);
        }
        for (int i = 0; i < regs * per; i++) init[t * regs + i / per] |= put(tc, C[row_c(t, i)][col_c(t, i)]) << i % per * (width[tc] % 32);
    }
    unsigned char *image_d;
    unsigned *mem;
    CK(cudaMalloc(&image_d, bytes)), CK(cudaMalloc(&mem, (640 + 2 * 128 * regs) * 4));
    CK(cudaMemcpy(image_d, image.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mem, ra.data(), 2048, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mem + 512, meta, 512, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mem + 640, init.data(), 128 * regs * 4, cudaMemcpyHostToDevice));
    arguments g = {(const uint4 *)image_d, (unsigned)(bytes / 16), descriptor(la, 0, 0), descriptor(lb, from_b, 0), mem, mem + 640, mem + 512,
                   mem + 640 + 128 * regs, h.keep};
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes + 1024));
    kernel<<<1, 128, bytes + 1024>>>(g);
    CK(cudaMemcpy(out.data(), g.out, 128 * regs * 4, cudaMemcpyDeviceToHost));
    CK(cudaFree(image_d)), CK(cudaFree(mem));
    int bad = 0;
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < regs * per; i++) {
            int row = row_c(t, i), col = col_c(t, i), want = h.keep ? C[row][col] : 0;
            for (int x = 0; x < k; x++) want += h.sign * A[row][x] * B[x][col];
            unsigned word = out[t * regs + i / per] >> i % per * (width[tc] % 32);
            if (per == 2) word &= 0xffff;
            double got = get(tc, word);
            if (got != want && !bad++) printf("%s: row %d, column %d is %g, not %d\n", name, row, col, got, want);
        }
    printf("%s %s\n", name, bad ? "WRONG" : "ok");
}

int main() {
    auto with = [](auto set) { how h; set(h); return h; };
#define WITH(...) with([](how &h) { __VA_ARGS__; })
    run("f16", f16_kk, F16, F16, F32, 64);
    run("f16 128-byte swizzles", f16_kk, F16, F16, F32, 64, WITH(h.ma = 1, h.mb = 1));
    run("f16 64-byte swizzles", f16_kk, F16, F16, F32, 64, WITH(h.ma = 2, h.mb = 2));
    run("f16 A in a 32-byte swizzle, selector 1", f16_kk1, F16, F16, F32, 64, WITH(h.ma = 3, h.mb = 1, h.selector = 1));
    run("f16 transposed, selector 1", f16_tt, F16, F16, F32, 64, WITH(h.ta = h.tb = true, h.selector = 1));
    run("f16 transposed, 128-byte swizzles", f16_tt, F16, F16, F32, 64, WITH(h.ma = h.mb = 1, h.ta = h.tb = true, h.selector = 1));
    run("f16 transposed, B in a 32-byte swizzle", f16_tt, F16, F16, F32, 64, WITH(h.mb = 3, h.ta = h.tb = true, h.selector = 1));
    run("f16 A negated", f16_nk, F16, F16, F32, 64, WITH(h.sign = -1));
    run("f16 without scale-d", f16_kk, F16, F16, F32, 64, WITH(h.keep = false));
    run("f16 A in registers", f16_rk, F16, F16, F32, 64);
    run("f16 A in registers, B transposed, selector 1", f16_rt, F16, F16, F32, 64, WITH(h.mb = 1, h.tb = true, h.selector = 1));
    run("f16 n256", f16_256, F16, F16, F32, 256, WITH(h.mb = 1));
    run("f16.f16 n64", f16_h64, F16, F16, F16, 64);
    run("bf16 n8, selector 1", bf16_8, BF16, BF16, F32, 8, WITH(h.selector = 1));
    run("bf16 n24, A in registers, B transposed", bf16_24, BF16, BF16, F32, 24, WITH(h.tb = true));
    run("tf32 n64", tf32_64, TF32, TF32, F32, 64, WITH(h.mb = 2));
    run("tf32 n8, A in registers, selector 1", tf32_8, TF32, TF32, F32, 8, WITH(h.selector = 1));
    run("e4m3.e5m2 n64", e4e5_64, E4M3, E5M2, F32, 64, WITH(h.ma = 1, h.mb = 1));
    run("e5m2.e4m3 n8 f16, A in registers", e5e4_8, E5M2, E4M3, F16, 8);
    run("s8.s8 n64", s8s8_64, S8, S8, S32, 64, WITH(h.ma = 3, h.mb = 2));
    run("u8.s8 n24, A in registers", u8s8_24, U8, S8, S32, 24);
    run("s8.u8 n8", s8u8_8, S8, U8, S32, 8);
}
