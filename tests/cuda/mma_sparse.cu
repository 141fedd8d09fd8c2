// mma.sp in every shape and type: A's elements that are not zero, their places and the selector by the ISA's figures (9.7.14.6), the
// products computed on the host.
// arch: sm_90
// twins: sm_80
// expect: m16n8k16.f32.f16 selector 0 ok
// expect: m16n8k16.f32.f16 selector 3 ok
// expect: m16n8k16.f16.f16 selector 1 ok
// expect: m16n8k32.f32.f16 selector 0 ok
// expect: m16n8k32.f32.f16 selector 1 ok
// expect: m16n8k32.f16.f16 selector 0 ok
// expect: m16n8k16.f32.bf16 selector 2 ok
// expect: m16n8k32.f32.bf16 selector 1 ok
// expect: m16n8k8.f32.tf32 selector 1 ok
// expect: m16n8k16.f32.tf32 selector 0 ok
// expect: m16n8k16.f32.tf32 selector 1 ok
// expect: m16n8k64.f32.e4m3.e5m2 selector 0 ok
// expect: m16n8k32.s32.s8.s8 selector 0 ok
// expect: m16n8k32.s32.u8.s8 selector 1 ok
// expect: m16n8k64.s32.s8.u8 selector 0 ok
// expect: m16n8k64.s32.s4.s4 selector 1 ok
// expect: m16n8k128.s32.u4.s4 selector 0 ok
// expect: ordered m16n8k32.f32.f16 selector 1 ok
// expect: satfinite 2147483647
#include "common.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>
#include <vector>

#define O2 "+r"(d[0]), "+r"(d[1])
#define O4 O2, "+r"(d[2]), "+r"(d[3])
#define I2(x) "r"(x[0]), "r"(x[1])
#define I4(x) I2(x), "r"(x[2]), "r"(x[3])
#define MMA(id, ND, NA, NB, text, outs, ...)                                                       \
    __global__ void id(const unsigned *pa, const unsigned *pb, const unsigned *pe, unsigned *pd) { \
        unsigned a[NA], b[NB], d[ND], t = threadIdx.x, e = pe[t];                                  \
        for (int j = 0; j < NA; j++) a[j] = pa[t * NA + j];                                        \
        for (int j = 0; j < NB; j++) b[j] = pb[t * NB + j];                                        \
        for (int j = 0; j < ND; j++) d[j] = pd[t * ND + j];                                        \
        asm volatile(text : outs : __VA_ARGS__, "r"(e));                                           \
        for (int j = 0; j < ND; j++) pd[t * ND + j] = d[j];                                        \
    }
#define M422(id, op, f) MMA(id, 4, 2, 2, op "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, " f ";", O4, I2(a), I2(b))
#define M444(id, op, f) MMA(id, 4, 4, 4, op "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, " f ";", O4, I4(a), I4(b))
#define M222(id, op, f) MMA(id, 2, 2, 2, op "{%0,%1}, {%2,%3}, {%4,%5}, {%0,%1}, %6, " f ";", O2, I2(a), I2(b))
#define M244(id, op, f) MMA(id, 2, 4, 4, op "{%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%0,%1}, %10, " f ";", O2, I4(a), I4(b))
#define SP "mma.sp.sync.aligned."
M422(f16_16_0, SP "m16n8k16.row.col.f32.f16.f16.f32 ", "0x0")
M422(f16_16_3, SP "m16n8k16.row.col.f32.f16.f16.f32 ", "0x3")
M222(f16_16h, SP "m16n8k16.row.col.f16.f16.f16.f16 ", "0x1")
M444(f16_32_0, SP "m16n8k32.row.col.f32.f16.f16.f32 ", "0x0")
M444(f16_32_1, SP "m16n8k32.row.col.f32.f16.f16.f32 ", "0x1")
M244(f16_32h, SP "m16n8k32.row.col.f16.f16.f16.f16 ", "0x0")
M422(bf_16, SP "m16n8k16.row.col.f32.bf16.bf16.f32 ", "0x2")
M444(bf_32, SP "m16n8k32.row.col.f32.bf16.bf16.f32 ", "0x1")
M422(tf_8, SP "m16n8k8.row.col.f32.tf32.tf32.f32 ", "0x1")
M444(tf_16_0, SP "m16n8k16.row.col.f32.tf32.tf32.f32 ", "0x0")
M444(tf_16_1, SP "m16n8k16.row.col.f32.tf32.tf32.f32 ", "0x1")
#if HAS(89)
M444(e4e5, SP "m16n8k64.row.col.f32.e4m3.e5m2.f32 ", "0x0")
#else
__global__ void e4e5(const unsigned *, const unsigned *, const unsigned *, unsigned *) {}
#endif
M422(s8s8, SP "m16n8k32.row.col.s32.s8.s8.s32 ", "0x0")
M422(u8s8, SP "m16n8k32.row.col.s32.u8.s8.s32 ", "0x1")
M444(s8u8, SP "m16n8k64.row.col.s32.s8.u8.s32 ", "0x0")
M422(s4s4, SP "m16n8k64.row.col.s32.s4.s4.s32 ", "0x1")
M444(u4s4, SP "m16n8k128.row.col.s32.u4.s4.s32 ", "0x0")
M444(ordered, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 ", "0x1")
M422(sat, SP "m16n8k32.row.col.satfinite.s32.s8.s8.s32 ", "0x0")

enum type { F16, BF16, TF32, E4M3, E5M2, U8, S8, U4, S4, F32, S32 };
static const int width[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 32, 32};
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
static unsigned random_bits() {
    seed = seed * 1664525 + 1013904223;
    return seed >> 16;
}
static int draw(type t) {
    int r = random_bits() >> 4;
    return t == U8 || t == U4 ? r % 16 : t == S4 ? r % 16 - 8 : t == S32 ? r % 1000 - 500 : r % 9 - 4;
}

static void run(const char *name, void (*kernel)(const unsigned *, const unsigned *, const unsigned *, unsigned *), int k, type ta, type tb, type tc,
                int selector) {
    static int A[16][128], B[128][8], C[16][8];
    memset(A, 0, sizeof A);
    for (int x = 0; x < k; x++)
        for (int j = 0; j < 8; j++) B[x][j] = draw(tb);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) C[i][j] = draw(tc == S32 ? S32 : F16);
    int bits = width[ta], per = 32 / bits, na = 16 * k / 2 / per / 32, nb = 8 * k / (32 / width[tb]) / 32, dper = 32 / width[tc], nd = 4 / dper;
    // what is written into lanes that the selector does not name must not matter
    std::vector<unsigned> a(32 * na), b(32 * nb), e(32), d(32 * nd);
    for (unsigned &x : e) x = random_bits() << 16 | random_bits();
    auto set_bits = [&](int lane, int at, unsigned v) { e[lane] = (e[lane] & ~(15u << at)) | v << at; };
    // the elements that are held, of one row, in the order of columns
    auto hold = [&](int row, int at, int v) {
        int word = at / per, reg = row / 8 + word / 4 * 2, lane = row % 8 * 4 + word % 4;
        a[lane * na + reg] |= put(ta, v) << at % per * (bits % 32);
    };
    bool halves = bits >= 16;                          // where metadata of 16-bit units stands
    int wide = bits == 32 ? 2 : bits == 4 ? 8 : 4;     // elements of a chunk
    int chunks = k / wide, lanes = chunks * 8 / 32;    // lanes of four that hold metadata
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < chunks; c++) {
            int first = random_bits() % 3, second = first + 1 + random_bits() % (3 - first);
            if (bits == 32) first = random_bits() % 2 * 2, second = first + 1; // 0100 or 1110
            unsigned places = first | second << 2;
            for (int h = 0; h < wide / 2; h++) {
                int v = draw(ta), col = bits == 32 ? first / 2 : bits == 4 ? (h < 2 ? first : second) * 2 + h % 2 : h ? second : first;
                A[i][c * wide + col] = v;
                hold(i, c * wide / 2 + h, v);
            }
            if (halves) set_bits(i % 8 * 4 + selector * lanes + c / 4, c % 4 * 4 + i / 8 * 16, places);
            else set_bits(i % 8 * 4 + selector * lanes + i / 8 + c / 8 * 2, c % 8 * 4, places);
        }
    for (int l = 0; l < 32; l++) {
        int bper = 32 / width[tb];
        for (int i = 0; i < nb * bper; i++)
            b[l * nb + i / bper] |= put(tb, B[l % 4 * bper + i % bper + i / bper * 4 * bper][l / 4]) << i % bper * (width[tb] % 32);
        for (int i = 0; i < 4; i++)
            d[l * nd + i / dper] |= put(tc, C[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2]) << i % dper * (width[tc] % 32);
    }
    unsigned *m, *ma, *mb, *me, *md;
    CK(cudaMalloc(&m, 4096));
    ma = m, mb = m + 128, me = m + 256, md = m + 288;
    CK(cudaMemcpy(ma, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(mb, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(me, e.data(), e.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(md, d.data(), d.size() * 4, cudaMemcpyHostToDevice));
    kernel<<<1, 32>>>(ma, mb, me, md);
    CK(cudaMemcpy(d.data(), md, d.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaFree(m));
    int bad = 0;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 4; i++) {
            int row = l / 4 + i / 2 * 8, col = l % 4 * 2 + i % 2, want = C[row][col];
            for (int x = 0; x < k; x++) want += A[row][x] * B[x][col];
            unsigned word = d[l * nd + i / dper] >> i % dper * (width[tc] % 32);
            double got = get(tc, dper == 2 ? word & 0xffff : word);
            if (got != want && !bad++) printf("%s: row %d, column %d is %g, not %d\n", name, row, col, got, want);
        }
    printf("%s selector %d %s\n", name, selector, bad ? "WRONG" : "ok");
}

int main() {
    run("m16n8k16.f32.f16", f16_16_0, 16, F16, F16, F32, 0);
    run("m16n8k16.f32.f16", f16_16_3, 16, F16, F16, F32, 3);
    run("m16n8k16.f16.f16", f16_16h, 16, F16, F16, F16, 1);
    run("m16n8k32.f32.f16", f16_32_0, 32, F16, F16, F32, 0);
    run("m16n8k32.f32.f16", f16_32_1, 32, F16, F16, F32, 1);
    run("m16n8k32.f16.f16", f16_32h, 32, F16, F16, F16, 0);
    run("m16n8k16.f32.bf16", bf_16, 16, BF16, BF16, F32, 2);
    run("m16n8k32.f32.bf16", bf_32, 32, BF16, BF16, F32, 1);
    run("m16n8k8.f32.tf32", tf_8, 8, TF32, TF32, F32, 1);
    run("m16n8k16.f32.tf32", tf_16_0, 16, TF32, TF32, F32, 0);
    run("m16n8k16.f32.tf32", tf_16_1, 16, TF32, TF32, F32, 1);
    if (device_has(89)) run("m16n8k64.f32.e4m3.e5m2", e4e5, 64, E4M3, E5M2, F32, 0);
    run("m16n8k32.s32.s8.s8", s8s8, 32, S8, S8, S32, 0);
    run("m16n8k32.s32.u8.s8", u8s8, 32, U8, S8, S32, 1);
    run("m16n8k64.s32.s8.u8", s8u8, 64, S8, U8, S32, 0);
    run("m16n8k64.s32.s4.s4", s4s4, 64, S4, S4, S32, 1);
    run("m16n8k128.s32.u4.s4", u4s4, 128, U4, S4, S32, 0);
    run("ordered m16n8k32.f32.f16", ordered, 32, F16, F16, F32, 1);

    std::vector<unsigned> one(32 * 4, 0x7f7f7f7f), c(32 * 4, INT32_MAX - 1000), e(32, 0x44444444); // 16 products of 127 * 127
    unsigned *m;
    CK(cudaMalloc(&m, 4096));
    CK(cudaMemcpy(m, one.data(), 512, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(m + 128, e.data(), 128, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(m + 256, c.data(), 512, cudaMemcpyHostToDevice));
    sat<<<1, 32>>>(m, m, m + 128, m + 256);
    CK(cudaMemcpy(c.data(), m + 256, 512, cudaMemcpyDeviceToHost));
    printf("satfinite %d\n", (int)c[5]);
    CK(cudaFree(m));
}
