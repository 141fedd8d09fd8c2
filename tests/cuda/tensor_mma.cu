// mma.sync in every shape and type: each lane's registers are filled by the ISA's layouts (9.7.14.5), the products computed on the host.
// arch: sm_90
// twins: sm_75
// expect: m8n8k4.f32.f16 row row ok
// expect: m8n8k4.f32.f16 row col ok
// expect: m8n8k4.f32.f16 col row ok
// expect: m8n8k4.f32.f16 col col ok
// expect: m8n8k4.f16.f16 row col ok
// expect: m16n8k8.f32.f16 ok
// expect: m16n8k8.f16.f16 ok
// expect: m16n8k16.f32.f16 ok
// expect: m16n8k16.f16.f16 ok
// expect: m16n8k8.f32.bf16 ok
// expect: m16n8k16.f32.bf16 ok
// expect: m16n8k4.f32.tf32 ok
// expect: m16n8k8.f32.tf32 ok
// expect: m16n8k32.f32.e4m3.e5m2 ok
// expect: m16n8k32.f16.e5m2.e4m3 ok
// expect: m8n8k16.s32.u8.s8 ok
// expect: m16n8k16.s32.s8.u8 ok
// expect: m16n8k32.s32.s8.s8 ok
// expect: m8n8k32.s32.u4.s4 ok
// expect: m16n8k32.s32.s4.u4 ok
// expect: m16n8k64.s32.s4.s4 ok
// expect: m8n8k128.s32.b1 and ok
// expect: m8n8k128.s32.b1 xor ok
// expect: m16n8k128.s32.b1 xor ok
// expect: m16n8k256.s32.b1 and ok
// expect: m8n8k4.f64 ok
// expect: m16n8k4.f64 ok
// expect: m16n8k8.f64 ok
// expect: m16n8k16.f64 ok
// expect: satfinite 2147483647
// expect: wraps -2147483521
#include "common.h"
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

typedef unsigned long long u64;
#define LOAD(T, n, v) T v[n]; for (int j = 0; j < n; j++) v[j] = p##v[threadIdx.x * n + j]
#define MMA(since, id, T, ND, NA, NB, ...)                                                 \
    enum { id##_since = since };                                                           \
    __global__ void id(const T *pa, const T *pb, const T *pc, T *pd) {                     \
        LOAD(T, NA, a);                                                                    \
        LOAD(T, NB, b);                                                                    \
        LOAD(T, ND, c);                                                                    \
        T d[ND];                                                                           \
        if (HAS(since)) asm volatile(__VA_ARGS__);                                         \
        for (int j = 0; j < ND; j++) pd[threadIdx.x * ND + j] = d[j];                      \
    }
#define OUT2 "=r"(d[0]), "=r"(d[1])
#define OUT4 OUT2, "=r"(d[2]), "=r"(d[3])
#define OUT8 OUT4, "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
#define I1(x) "r"(x[0])
#define I2(x) I1(x), "r"(x[1])
#define I4(x) I2(x), "r"(x[2]), "r"(x[3])
#define I8(x) I4(x), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7])
#define R842 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"
#define R422 "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11};"
#define R442 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
#define R242 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
#define R421 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
#define R221 "{%0,%1}, {%2,%3}, {%4}, {%5,%6};"
#define R211 "{%0,%1}, {%2}, {%3}, {%4,%5};"
#define R484 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19};"
#define M842(since, id, op) MMA(since, id, unsigned, 8, 2, 2, op R842 : OUT8 : I2(a), I2(b), I8(c))
#define M422(since, id, op) MMA(since, id, unsigned, 4, 2, 2, op R422 : OUT4 : I2(a), I2(b), I4(c))
#define M442(since, id, op) MMA(since, id, unsigned, 4, 4, 2, op R442 : OUT4 : I4(a), I2(b), I4(c))
#define M242(since, id, op) MMA(since, id, unsigned, 2, 4, 2, op R242 : OUT2 : I4(a), I2(b), I2(c))
#define M421(since, id, op) MMA(since, id, unsigned, 4, 2, 1, op R421 : OUT4 : I2(a), I1(b), I4(c))
#define M221(since, id, op) MMA(since, id, unsigned, 2, 2, 1, op R221 : OUT2 : I2(a), I1(b), I2(c))
#define M211(since, id, op) MMA(since, id, unsigned, 2, 1, 1, op R211 : OUT2 : I1(a), I1(b), I2(c))
M842(75, q_rr, "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 ")
M842(75, q_rc, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 ")
M842(75, q_cr, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 ")
M842(75, q_cc, "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32 ")
M422(75, q_half, "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 ")
M421(75, f16_8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 ")
M221(75, f16_8h, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 ")
M442(80, f16_16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ")
M242(80, f16_16h, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 ")
M421(80, bf_8, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 ")
M442(80, bf_16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ")
M421(80, tf_4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 ")
M442(80, tf_8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 ")
M442(89, e4e5, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 ")
M242(89, e5e4, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16 ")
M211(75, u8s8, "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 ")
M421(80, s8u8, "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 ")
M442(80, s8s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 ")
M211(75, u4s4, "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 ")
M421(80, s4u4, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32 ")
M442(80, s4s4, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 ")
M211(80, b1_8and, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc ")
M211(75, b1_8xor, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc ")
M421(80, b1_16, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc ")
M442(80, b1_256, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc ")
M442(80, sat, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 ")
#define E1(x) "d"(x[0])
#define E2(x) E1(x), "d"(x[1])
#define E4(x) E2(x), "d"(x[2]), "d"(x[3])
#define E8(x) E4(x), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7])
#define EO2 "=d"(d[0]), "=d"(d[1])
#define EO4 EO2, "=d"(d[2]), "=d"(d[3])
MMA(80, d_4, double, 2, 1, 1, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " R211 : EO2 : E1(a), E1(b), E2(c))
MMA(90, d_16_4, double, 4, 2, 1, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " R421 : EO4 : E2(a), E1(b), E4(c))
MMA(90, d_16_8, double, 4, 4, 2, "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " R442 : EO4 : E4(a), E2(b), E4(c))
MMA(90, d_16_16, double, 4, 8, 4, "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " R484 : EO4 : E8(a), E4(b), E4(c))

// ---- element types: bits of a small integer, and back
enum type { F16, BF16, TF32, F32, E4M3, E5M2, U8, S8, U4, S4, B1, S32, F64 };
static const int width[] = {16, 16, 32, 32, 8, 8, 8, 8, 4, 4, 1, 32, 64};
static u64 put(type t, int v) {
    float f = v;
    double g = v;
    unsigned w;
    u64 x;
    switch (t) {
    case F16: return __half_as_ushort(__float2half(f));
    case BF16: return __bfloat16_as_ushort(__float2bfloat16(f));
    case E4M3: return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
    case E5M2: return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
    case TF32:
    case F32: memcpy(&w, &f, 4); return w;
    case F64: memcpy(&x, &g, 8); return x;
    default: return (unsigned)v & (unsigned)((1ull << width[t]) - 1);
    }
}
static double get(type t, u64 x) {
    float f;
    double g;
    unsigned w = (unsigned)x;
    switch (t) {
    case F16: return __half2float(__ushort_as_half((unsigned short)x));
    case F32: memcpy(&f, &w, 4); return f;
    case F64: memcpy(&g, &x, 8); return g;
    default: return (int)w;
    }
}
static unsigned seed = 1;
static int draw(type t) {
    seed = seed * 1664525 + 1013904223;
    int r = seed >> 20;
    return t == B1 ? r & 1 : t == U8 || t == U4 ? r % 16 : t == S4 ? r % 16 - 8 : t == S32 ? r % 1000 - 500 : r % 9 - 4;
}

// ---- layouts, as the ISA's figures have them: where element i of a lane stands
struct place { int row, col; };
static place of_a(int m, type t, int lane, int i) {
    int per = t == F64 ? 1 : 32 / width[t], g = lane >> 2, id = lane % 4, reg = i / per;
    if (m == 8) return {g, id * per + i};
    return {reg % 2 ? g + 8 : g, id * per + i % per + (reg / 2) * 4 * per};
}
static place of_b(type t, int lane, int i) {
    int per = t == F64 ? 1 : 32 / width[t];
    return {lane % 4 * per + i % per + i / per * 4 * per, lane >> 2};
}
static place of_c(int lane, int i) { return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }
static place quad_a(bool col, int lane, int i) {
    int more = lane < 16 ? 0 : 4;
    return col ? place{i % 4 + more, lane % 4} : place{lane % 4 + more, i};
}
static place quad_b(bool col, int lane, int i) {
    int more = lane < 16 ? 0 : 4;
    return col ? place{i, lane % 4 + more} : place{lane % 4, i + more};
}
static place quad_c(type t, int lane, int i) {
    int more = lane < 16 ? 0 : 4;
    if (t == F16) return {lane % 4 + more, i};
    return {(lane & 1) + (i & 2) + more, (i & 4) + (lane & 2) + (i & 1)};
}

template <class T, class F> static std::vector<T> fill(type t, int regs, F at) {
    int bits = 8 * sizeof(T), per = bits / width[t];
    std::vector<T> r(32 * regs);
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < regs * per; i++) {
            u64 v = put(t, at(l, i)), word = 0;
            memcpy(&word, &r[l * regs + i / per], sizeof(T));
            word |= v << i % per * width[t];
            memcpy(&r[l * regs + i / per], &word, sizeof(T));
        }
    return r;
}

template <class T>
static void run(const char *name, void (*kernel)(const T *, const T *, const T *, T *), int m, int k, type ta, type tb, type tc,
                int na, int nb, int nc, bool quad = false, bool acol = false, bool bcol = true, int bitwise = 0) {
    static int A[4][16][256], B[4][256][8], C[4][16][8];
    for (int q = 0; q < 4; q++) {
        for (int i = 0; i < m; i++)
            for (int x = 0; x < k; x++) A[q][i][x] = draw(ta);
        for (int x = 0; x < k; x++)
            for (int j = 0; j < 8; j++) B[q][x][j] = draw(tb);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < 8; j++) C[q][i][j] = draw(tc);
    }
    auto pa = [&](int l, int i) { return quad ? quad_a(acol, l, i) : of_a(m, ta, l, i); };
    auto pb = [&](int l, int i) { return quad ? quad_b(bcol, l, i) : of_b(tb, l, i); };
    auto pc = [&](int l, int i) { return quad ? quad_c(tc, l, i) : of_c(l, i); };
    auto q_of = [&](int l) { return quad ? l / 4 % 4 : 0; };
    auto a = fill<T>(ta, na, [&](int l, int i) { place p = pa(l, i); return A[q_of(l)][p.row][p.col]; });
    auto b = fill<T>(tb, nb, [&](int l, int i) { place p = pb(l, i); return B[q_of(l)][p.row][p.col]; });
    auto c = fill<T>(tc, nc, [&](int l, int i) { place p = pc(l, i); return C[q_of(l)][p.row][p.col]; });
    T *d;
    CK(cudaMalloc(&d, 4 * 32 * 8 * sizeof(T)));
    T *da = d, *db = d + 256, *dc = d + 512, *dd = d + 768;
    CK(cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, 32>>>(da, db, dc, dd);
    std::vector<T> r(32 * nc);
    CK(cudaMemcpy(r.data(), dd, r.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CK(cudaFree(d));
    int per = 8 * sizeof(T) / width[tc], bad = 0;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < nc * per; i++) {
            u64 word = 0;
            memcpy(&word, &r[l * nc + i / per], sizeof(T));
            word >>= i % per * width[tc];
            if (width[tc] == 16) word &= 0xffff;
            place p = pc(l, i);
            int q = q_of(l), want = C[q][p.row][p.col];
            for (int x = 0; x < k; x++) {
                int y = A[q][p.row][x], z = B[q][x][p.col];
                want += bitwise == 1 ? (y & z) : bitwise == 2 ? (y ^ z) : y * z;
            }
            double got = get(tc, word);
            if (got != want && !bad++) printf("%s: lane %d element %d is %g, not %d\n", name, l, i, got, want);
        }
    printf("%s %s\n", name, bad ? "WRONG" : "ok");
}

#define RUN(name, id, ...) if (device_has(id##_since)) run(name, id, __VA_ARGS__)
int main() {
    RUN("m8n8k4.f32.f16 row row", q_rr, 8, 4, F16, F16, F32, 2, 2, 8, true, false, false);
    RUN("m8n8k4.f32.f16 row col", q_rc, 8, 4, F16, F16, F32, 2, 2, 8, true, false, true);
    RUN("m8n8k4.f32.f16 col row", q_cr, 8, 4, F16, F16, F32, 2, 2, 8, true, true, false);
    RUN("m8n8k4.f32.f16 col col", q_cc, 8, 4, F16, F16, F32, 2, 2, 8, true, true, true);
    RUN("m8n8k4.f16.f16 row col", q_half, 8, 4, F16, F16, F16, 2, 2, 4, true, false, true);
    RUN("m16n8k8.f32.f16", f16_8, 16, 8, F16, F16, F32, 2, 1, 4);
    RUN("m16n8k8.f16.f16", f16_8h, 16, 8, F16, F16, F16, 2, 1, 2);
    RUN("m16n8k16.f32.f16", f16_16, 16, 16, F16, F16, F32, 4, 2, 4);
    RUN("m16n8k16.f16.f16", f16_16h, 16, 16, F16, F16, F16, 4, 2, 2);
    RUN("m16n8k8.f32.bf16", bf_8, 16, 8, BF16, BF16, F32, 2, 1, 4);
    RUN("m16n8k16.f32.bf16", bf_16, 16, 16, BF16, BF16, F32, 4, 2, 4);
    RUN("m16n8k4.f32.tf32", tf_4, 16, 4, TF32, TF32, F32, 2, 1, 4);
    RUN("m16n8k8.f32.tf32", tf_8, 16, 8, TF32, TF32, F32, 4, 2, 4);
    RUN("m16n8k32.f32.e4m3.e5m2", e4e5, 16, 32, E4M3, E5M2, F32, 4, 2, 4);
    RUN("m16n8k32.f16.e5m2.e4m3", e5e4, 16, 32, E5M2, E4M3, F16, 4, 2, 2);
    RUN("m8n8k16.s32.u8.s8", u8s8, 8, 16, U8, S8, S32, 1, 1, 2);
    RUN("m16n8k16.s32.s8.u8", s8u8, 16, 16, S8, U8, S32, 2, 1, 4);
    RUN("m16n8k32.s32.s8.s8", s8s8, 16, 32, S8, S8, S32, 4, 2, 4);
    RUN("m8n8k32.s32.u4.s4", u4s4, 8, 32, U4, S4, S32, 1, 1, 2);
    RUN("m16n8k32.s32.s4.u4", s4u4, 16, 32, S4, U4, S32, 2, 1, 4);
    RUN("m16n8k64.s32.s4.s4", s4s4, 16, 64, S4, S4, S32, 4, 2, 4);
    RUN("m8n8k128.s32.b1 and", b1_8and, 8, 128, B1, B1, S32, 1, 1, 2, false, false, true, 1);
    RUN("m8n8k128.s32.b1 xor", b1_8xor, 8, 128, B1, B1, S32, 1, 1, 2, false, false, true, 2);
    RUN("m16n8k128.s32.b1 xor", b1_16, 16, 128, B1, B1, S32, 2, 1, 4, false, false, true, 2);
    RUN("m16n8k256.s32.b1 and", b1_256, 16, 256, B1, B1, S32, 4, 2, 4, false, false, true, 1);
    RUN("m8n8k4.f64", d_4, 8, 4, F64, F64, F64, 1, 1, 2);
    RUN("m16n8k4.f64", d_16_4, 16, 4, F64, F64, F64, 2, 1, 4);
    RUN("m16n8k8.f64", d_16_8, 16, 8, F64, F64, F64, 4, 2, 4);
    RUN("m16n8k16.f64", d_16_16, 16, 16, F64, F64, F64, 8, 4, 4);
    if (!device_has(80)) return 0;
    // 32 products of 2 * 2 on top of INT_MAX: clamped, or wrapped
    std::vector<unsigned> twos(32 * 4, 0x02020202), most(32 * 4, 0x7fffffff);
    unsigned *d, r;
    CK(cudaMalloc(&d, 4 * 128 * 4));
    CK(cudaMemcpy(d, twos.data(), 512, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d + 128, twos.data(), 512, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d + 256, most.data(), 512, cudaMemcpyHostToDevice));
    sat<<<1, 32>>>(d, d + 128, d + 256, d + 384);
    CK(cudaMemcpy(&r, d + 384, 4, cudaMemcpyDeviceToHost));
    printf("satfinite %d\n", (int)r);
    s8s8<<<1, 32>>>(d, d + 128, d + 256, d + 384);
    CK(cudaMemcpy(&r, d + 384, 4, cudaMemcpyDeviceToHost));
    printf("wraps %d\n", (int)r);
    CK(cudaFree(d));
}
