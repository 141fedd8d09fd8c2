// Kernels that test_twins.c runs twice, as PTX and as machine code, over the same memory: (out, in, n) each. record.sh makes the
// texts of it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

__constant__ float taps[8] = {0.5f, -1.25f, 3.0f, 1e-3f, 7.5f, -2.0f, 0.25f, 11.0f};

#define KERNEL extern "C" __global__ void
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)

#if __CUDA_ARCH__ >= 800
#define SUM(x) __reduce_add_sync(0xffffffff, x)
#else
#define SUM(x) __popc(__match_any_sync(0xffffffff, x))
#endif

KERNEL add(float *out, const float *in, int n) {
    int i = INDEX;
    if (i < n) out[i] = in[i] + in[i + n];
}

KERNEL saxpy(float *out, const float *in, int n) {
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) out[i] = 2.5f * in[i] + in[i + n];
}

KERNEL transpose(float *out, const float *in, int n) {
    __shared__ float tile[16][17];
    int x = threadIdx.x & 15, y = threadIdx.x >> 4;
    for (int row = y; row < 16; row += blockDim.x >> 4) tile[row][x] = in[row * 16 + x + blockIdx.x];
    __syncthreads();
    for (int row = y; row < 16; row += blockDim.x >> 4) out[blockIdx.x * 256 + row * 16 + x] = tile[x][row];
}

KERNEL reduce(float *out, const float *in, int n) {
    __shared__ float part[32];
    float sum = 0;
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (!threadIdx.x) out[blockIdx.x] = sum;
    }
}

KERNEL divmod(int *out, const int *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    unsigned u = in[i], v = in[i + 1];
    int a = in[i], b = in[i + 1] >> 20;
    if (b) out[4 * i] = a / b, out[4 * i + 1] = a % b;
    if (v >> 9) out[4 * i + 2] = u / (v >> 9);
    out[4 * i + 3] = a / 7 + a % 1000 + u / 11u;
}

KERNEL collatz(int *out, const int *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    unsigned x = (unsigned)in[i] >> 12 | 1, steps = 0;
    while (true) {
        if (x == 1) break;
        if (++steps > 200) break;
        if (x & 1) x = 3 * x + 1;
        else x >>= 1;
    }
    out[i] = steps;
}

KERNEL quotient(float *out, const float *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    out[i] = in[i] / in[i + 1];
    out[i + n] = 1.0f / in[i];
    out[i + 2 * n] = sqrtf(fabsf(in[i]));
}

KERNEL scale(double *out, const double *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    double a = (double)((const int *)in)[i], b = (double)((const int *)in)[i + 1] + 0.5;
    out[i] = a * b - a / b;
    if (a < b) out[i + n] = a > 0 ? b : -a;
}

KERNEL far(long long *out, const long long *in, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if ((int)i >= (int)n) return;
    unsigned long long x = in[i], y = in[i + 1];
    out[3 * i] = x * y + 1442695040888963407ull;
    out[3 * i + 1] = (x - y) ^ (x >> 7) ^ (y << 13);
    out[3 * i + 2] = ((long long)x < (long long)y ? x : y) + (long long)(i << 33 | i);
}

KERNEL histogram(int *out, const int *in, int n) {
    __shared__ int bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
    atomicMax(&out[64], in[INDEX % n]);
}

KERNEL votes(int *out, const int *in, int n) {
    int i = INDEX, v = in[i % n];
    unsigned odd = __ballot_sync(0xffffffff, v & 1);
    int lower = __popc(odd & ((1u << (threadIdx.x & 31)) - 1));
    int up = __shfl_up_sync(0xffffffff, v, 1), any = __any_sync(0xffffffff, v < -2000000000);
    out[i] = lower + 64 * any + (__clz(v) << 8) + (__brev(v) >> 20) + (up & 7) * 4096 + SUM(v & 3);
}

KERNEL bytes(unsigned char *out, const unsigned char *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    unsigned a = in[i], b = in[i + n];
    unsigned char x = a > b ? a - b : b - a;
    for (int k = 0; k < 3 && (x & 1); k++) x = (x >> 1) + k * 64;
    out[i] = x;
    ((short *)(out + 2 * n))[i] = (short)(a * b);
}

KERNEL classify(int *out, const int *in, int n) {
    int i = INDEX, r = 0;
    if (i >= n) return;
    for (int k = 0; k < 8; k++) {
        int v = in[(i + k) % n];
        if (v < 0) continue;
        if ((v & 0xff) == 17) { r |= 1 << 30; break; }
        r += (v & 0x100) ? v >> 9 : min(v, 1000);
        if (r > 100000000) break;
    }
    out[i] = max(r, 3);
}

KERNEL convert(float *out, const float *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    float f = in[i];
    int *o = (int *)out;
    o[i] = (int)f;
    o[i + n] = (unsigned)f + __float2int_rn(f);
    out[i + 2 * n] = (float)((const int *)in)[i] + (float)((const unsigned *)in)[i];
    out[i + 3 * n] = floorf(f) + rintf(f) + exp2f(f * 0.001f) + fminf(f, 1.5f);
}

KERNEL filter(float *out, const float *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += taps[k] * in[i + k];
    out[i] = sum;
    out[i + n] = taps[i & 7] * in[i] + taps[threadIdx.x >> 4];
}

KERNEL halves(__half2 *out, const int *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    __half2 a = __floats2half2_rn(in[i] * 0x1p-24f, (in[i] & 255) * 0.5f), b = __float2half2_rn(in[i + 1] * 0x1p-28f);
    out[i] = __hfma2(a, b, __hadd2(a, b));
    out[i + n] = __hmul2(a, b);
    ((float *)out)[i + 2 * n] = __low2float(a) + __high2float(b);
}

#if __CUDA_ARCH__ >= 800
// A product of 16 x 16 matrices by each warp, its operands made of small integers in shared memory.
KERNEL product(float *out, const int *in, int n) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[256], b[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) a[k] = __int2half_rn(in[k] & 15), b[k] = __int2half_rn(in[k + 256] >> 28);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(out + 256 * (INDEX / 32), z, 16, wmma::mem_row_major);
}

// Copies to shared memory while the one before is used.
KERNEL staged(int4 *out, const int4 *in, int n) {
    __shared__ int4 part[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        __pipeline_memcpy_async(&part[t], &in[k * 128 + t], sizeof *in);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += part[127 - t].x ^ part[t ^ 1].w;
        __syncthreads();
    }
    out[INDEX] = make_int4(sum, t, part[t].y, sum >> 3);
}
#endif

// Local memory: an array that no register can be.
KERNEL stack(int *out, const int *in, int n) {
    int i = INDEX, kept[16];
    for (int k = 0; k < 16; k++) kept[(in[i + k] >> 3) & 15] = i + k;
    int sum = 0;
    for (int k = 0; k < 16; k++) kept[k] = in[i + k] & 15;
    for (int k = 0, at = i & 15; k < 20; k++) sum += at = kept[(at + k) & 15];
    out[i] = sum;
}

// Exchanges until one succeeds, and a sum of floats that is exact in any order.
KERNEL contend(int *out, const int *in, int n) {
    __shared__ float total;
    int i = INDEX;
    if (!threadIdx.x) total = 0;
    __syncthreads();
    for (int old = out[i & 7], seen;; old = seen) {
        seen = atomicCAS(&out[i & 7], old, old + (in[i] & 31) + 1);
        if (seen == old) break;
    }
    atomicAdd(&total, (float)(in[i] & 255));
    if (in[i] & 1) atomicXor(&out[8], in[i]);
    atomicAdd((unsigned long long *)(out + 10), (unsigned long long)(unsigned)in[i]);
    __syncthreads();
    if (!threadIdx.x) ((float *)out)[64 + blockIdx.x] = total;
}

// The square root and the quotient of doubles, and a 64-bit division: routines behind the kernel.
KERNEL routines(double *out, const int *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    double a = in[i] * 1e-3, b = in[i + 1] * 7.25;
    if (in[i] & 3) out[i] = a / b;
    out[i + n] = sqrt(fabs(a));
    long long x = (long long)in[i] * in[i + 2], y = in[i + 1] >> (in[i] & 15);
    if (y) ((long long *)out)[i + 2 * n] = x / y + x % y;
}

// Halves with literals and signs; numbers of 8 and 16 bits made floats.
KERNEL literals(__half2 *out, const int *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    __half2 a = __floats2half2_rn(in[i] * 0x1p-24f, in[i + 1] * 0x1p-26f);
    __half2 c = __hfma2(a, __floats2half2_rn(1.5f, -0.25f), __floats2half2_rn(3.0f, 7.0f));
    out[i] = __hfma2(c, __hneg2(a), __habs2(c));
    ((float *)out)[i + n] = (short)in[i];
    ((float *)out)[i + 2 * n] = (signed char)(in[i] >> 3);
    ((float *)out)[i + 3 * n] = (unsigned short)in[i + 1];
    ((float *)out)[i + 4 * n] = (unsigned char)in[i + 1];
}

// The larger and the smaller of doubles: of zeros, infinities and what is no number.
KERNEL extremes(double *out, const double *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    out[2 * i] = fmax(in[i], in[i + 1]), out[2 * i + 1] = fmin(in[i], in[i + 2]);
}

// Halves and bytes of registers made doubles and halves.
KERNEL parts(double *out, const unsigned *in, int n) {
    int i = INDEX;
    if (i >= n) return;
    unsigned w = in[i];
    float s = (float)(unsigned short)(w >> 16) + 5 * (float)(unsigned char)(w >> 8) + (float)(signed char)(w >> 24);
    out[i] = s + (double)(unsigned short)(w >> 3) + (double)((const short *)in)[i + 1] + (double)((const signed char *)in)[i];
    out[i] += (double)((const unsigned char *)in)[i + 3];
    ((__half *)(out + n))[i] = __ushort2half_rn((unsigned short)w);
}

// Addresses of shared memory for some lanes, of global or of local memory for others.
KERNEL anywhere(unsigned *out, const unsigned *in, int n) {
    __shared__ unsigned tile[128];
    unsigned mine[8], t = threadIdx.x;
    int i = INDEX;
    for (int k = 0; k < 8; k++) mine[k] = in[i + k] * k;
    volatile unsigned *to = (in[i] & 1) ? &tile[t] : &out[i];
    *to = in[i];
    __syncthreads();
    if (!(in[i] & 1)) tile[t] = 7;
    __syncthreads();
    atomicAdd((in[i] & 4) ? &tile[t] : &out[n + 128 + i], 3u);
    __syncthreads();
    volatile const unsigned *from = (in[i] & 2) ? &tile[t ^ 1] : (in[i] & 8) ? &in[i + 5] : &mine[in[i] >> 4 & 7];
    out[2 * n + 256 + i] = tile[t] + *from;
}

// Comparisons, extremes and saturated sums of pairs of halves.
KERNEL pairs(unsigned *out, const unsigned *in, int n) {
    int i = INDEX;
    __half2 a = *(const __half2 *)&in[i], b = *(const __half2 *)&in[i + 1], c = __hmax2(a, b), d = __hmin2(a, b);
    __half2 e = __hfma2_sat(a, b, c), f = __hadd2_sat(a, b);
    unsigned r = __hblt2(a, b) + 2 * __hbge2(a, b) + 4 * __hltu(__low2half(a), __high2half(b)) + 8 * __hbneu2(a, b);
    out[5 * i] = r, out[5 * i + 1] = *(unsigned *)&c, out[5 * i + 2] = *(unsigned *)&d;
    out[5 * i + 3] = *(unsigned *)&e, out[5 * i + 4] = *(unsigned *)&f;
}

#if __CUDA_ARCH__ >= 900
KERNEL bfloats(unsigned *out, const unsigned *in, int n) {
    int i = INDEX;
    __nv_bfloat162 a = *(const __nv_bfloat162 *)&in[i], b = *(const __nv_bfloat162 *)&in[i + 1], c = __hmax2(a, b), d = __hmin2(a, b);
    __nv_bfloat162 e = __hfma2(a, b, c), f = __hadd2_rn(a, b), g = __hmul2_rn(a, d);
    out[6 * i] = __hblt2(a, b) + 2 * __hbge2(a, b), out[6 * i + 1] = *(unsigned *)&c, out[6 * i + 2] = *(unsigned *)&d;
    out[6 * i + 3] = *(unsigned *)&e, out[6 * i + 4] = *(unsigned *)&f, out[6 * i + 5] = *(unsigned *)&g;
}

// Products of bytes, and sums of pairs of floats in memory.
KERNEL small(int *out, const unsigned *in, int n) {
    int l = threadIdx.x, c[4] = {(int)in[l], 1, 2, 3};
    unsigned a[4] = {in[l], in[l + 40], in[l + 80], in[l + 120]}, b[2] = {in[l + 160], in[l + 200]};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    for (int k = 0; k < 4; k++) out[4 * INDEX + k] = c[k];
    atomicAdd((float2 *)(out + 8192) + l, make_float2((float)(in[l] >> 20), 1));
}
#endif

// Differences, dot products, fields of bits, saturated and compared numbers.
KERNEL odd(unsigned *out, const unsigned *in, int n) {
    int i = INDEX;
    unsigned a = in[i], b = in[i + 1], c = in[i + 2], r[13];
    r[0] = __sad(a, b, c), r[1] = __usad(a, b, c);
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r[4]) : "r"(a), "r"(b), "r"(c));
    unsigned mixed[4];
    asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(mixed[0]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(mixed[1]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(mixed[2]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(mixed[3]) : "r"(a), "r"(b), "r"(c));
    for (int k = 0; k < 4; k++) r[4] += mixed[k] << 8 * k;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(c));
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(c));
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r[7]) : "r"(a), "r"(b & 63));
    asm("szext.wrap.u32 %0, %1, %2;" : "=r"(r[8]) : "r"(a), "r"(b));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r[9]) : "r"(a & 63), "r"(b & 63));
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r[10]) : "r"(a), "r"(b));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r[11]) : "r"(a));
    asm("set.geu.u32.f32 %0, %1, %2;" : "=r"(r[12]) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    float f;
    asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(f) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    for (int k = 0; k < 13; k++) out[14 * i + k] = r[k];
    out[14 * i + 13] = __float_as_uint(f);
}

KERNEL alike(unsigned *out, const unsigned *in, int n) {
    int i = INDEX, p, q;
    out[2 * i] = __match_all_sync(~0u, in[i / 40], &p);
    unsigned lanes = __match_all_sync(~0u, (unsigned long long)in[i / 72] << 9, &q);
    out[2 * i + 1] = lanes + 3 * p + 5 * q;
}

// Bytes and halves packed, their differences, and permutations of each mode.
KERNEL packed(unsigned *out, const unsigned *in, int n) {
    int i = INDEX;
    unsigned a = in[i], b = in[i + 1], c = in[i + 2], r[12];
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r[0]) : "r"(a), "r"(b));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
    asm("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(c));
    asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(0));
    asm("vabsdiff4.u32.s32.s32.add %0, %1, %2, %3;" : "=r"(r[4]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(r[8]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(a), "r"(b), "r"(c));
    asm("{ .reg .b16 h; cvt.u16.u32 h, %1; tanh.approx.f16 h, h; cvt.u32.u16 %0, h; }" : "=r"(r[10]) : "r"(a >> 16));
    asm("ex2.approx.f16x2 %0, %1;" : "=r"(r[11]) : "r"(b));
    for (int k = 0; k < 12; k++) out[12 * i + k] = r[k];
}

// Halves and bytes made of wider numbers and made wide again, with the rounding said.
KERNEL narrow(unsigned *out, const unsigned *in, int n) {
    int i = INDEX;
    unsigned a = in[i], b = in[i + 1];
    float f = (int)a * 0x1p-18f;
    __half h = __ushort_as_half((unsigned short)(a >> 16)), l = __ushort_as_half((unsigned short)b), t = __double2half((int)b * 0x1p-20);
    unsigned r[10];
    r[0] = __half_as_ushort(__float2half_rz(f)) | __half_as_ushort(__float2half_ru(f)) << 16;
    r[1] = __half_as_ushort(__float2half_rd(f)) | __half_as_ushort(t) << 16;
    r[2] = __half_as_ushort(__int2half_rz((int)a >> 16)) | __half_as_ushort(__uint2half_ru(b >> 17)) << 16;
    r[3] = __half_as_ushort(__short2half_rd((short)a)) | __half_as_ushort(__ull2half_rn((unsigned long long)a * b >> 49)) << 16;
    r[4] = (unsigned)__half2int_rz(h) + 3 * __half2uint_ru(l);
    r[5] = (unsigned short)__half2short_rd(l) | (unsigned)__half2ushort_rn(h) << 16;
    r[6] = (unsigned)(__half2ll_rn(h) >> 2) + 5 * (unsigned)__half2ull_rz(l);
    r[7] = __half_as_ushort(hrint(h)) | __half_as_ushort(hfloor(l)) << 16;
    r[8] = __half_as_ushort(htrunc(l)) | __half_as_ushort(hceil(h)) << 16;
    asm("{ .reg .b8 x; cvt.rzi.s8.f32 x, %1; cvt.s32.s8 %0, x; }" : "=r"(r[9]) : "f"(f));
    for (int k = 0; k < 10; k++) out[10 * i + k] = r[k];
}

// Sums of two halves in global memory, of doubles in shared memory; adds of two and four numbers in a word; a comparison of 64 bits.
KERNEL sums(unsigned *out, const unsigned *in, int n) {
    __shared__ double sum[8];
    int i = INDEX;
    unsigned a = in[i], b = in[i + 1];
    if (threadIdx.x < 8) sum[threadIdx.x] = 0;
    out[i] = 0x3c00bc00;
    __syncthreads();
    atomicAdd(&sum[i & 7], (double)(int)a);
    __half2 one = __floats2half2_rn((float)(a & 255), (float)(b & 255)), was = atomicAdd((__half2 *)out + i, one);
    __syncthreads();
    out[1024 + 6 * i] = *(unsigned *)&was;
    out[1025 + 6 * i] = __double2hiint(sum[threadIdx.x & 7]);
    out[1026 + 6 * i] = __vadd2(a, b) ^ __vsub2(b, a);
    out[1027 + 6 * i] = __vadd4(a, b) ^ __vmaxs4(a, b);
    out[1028 + 6 * i] = __vminu4(a, b);
    out[1029 + 6 * i] = ((unsigned long long)a << 31 | b) > ((unsigned long long)b << 31 | a);
    if (a & 1) asm volatile("exit;");
    out[1029 + 6 * i] += 2;
}

// A product in four steps (HMMA.884 on sm_75), one of halves (HMMA.1688), and a matrix transposed across the lanes. Of whole numbers, whose sums are
// exact in any order.
__device__ unsigned whole(unsigned x) {
    __half2 h = __halves2half2(__int2half_rn((int)(x & 15) - 7), __int2half_rn((int)(x >> 9 & 15) - 8));
    return *(unsigned *)&h;
}
KERNEL fragments(unsigned *out, const unsigned *in, int n) {
    int l = INDEX;
    unsigned a[2] = {whole(in[l]), whole(in[l + 7])}, b[2] = {whole(in[l + 1]), whole(in[l + 9])}, c[8], m;
    for (int k = 0; k < 8; k++) c[k] = __float_as_uint((float)(in[l + k] & 255));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]), "+r"(c[7]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};" : "+r"(a[0]), "+r"(b[0]) : "r"(a[1]), "r"(whole(in[l + 3])), "r"(b[1]));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(in[l + 5]));
    for (int k = 0; k < 8; k++) out[11 * l + k] = c[k];
    out[11 * l + 8] = a[0], out[11 * l + 9] = b[0], out[11 * l + 10] = m;
}

#if __CUDA_ARCH__ >= 900
// Products of tf32, of doubles, of sparse halves and of bits; matrices stored in shared memory.
KERNEL shapes(unsigned *out, const unsigned *in, int n) {
    __shared__ __align__(16) unsigned tile[4][128];
    int l = INDEX, w = threadIdx.x / 32;
    unsigned a[4], b[4], c[4] = {1, 2, 3, 4}, s[4] = {5, 6, 7, 8}, t[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++) a[k] = in[l + 3 * k], b[k] = in[l + 5 * k + 1];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(t[0]), "+r"(t[1]), "+r"(t[2]), "+r"(t[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x1;"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(b[2]), "r"(b[3]), "r"(0x4e4e4e4e));
    double x[8], y[4], z[4] = {1, 2, 3, 4};
    for (int k = 0; k < 8; k++) x[k] = (int)in[l + k] * 0x1p-20;
    for (int k = 0; k < 4; k++) y[k] = (int)in[l + 9 + k] * 0x1p-24;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(z[0]), "+d"(z[1]), "+d"(z[2]), "+d"(z[3]) : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]),
                   "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"((unsigned)__cvta_generic_to_shared(&tile[w][threadIdx.x % 32 * 4])),
                 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]) : "memory");
    __syncwarp();
    for (int k = 0; k < 4; k++) {
        out[16 * l + k] = c[k] + tile[w][threadIdx.x % 32 + 32 * k], out[16 * l + 4 + k] = s[k], out[16 * l + 12 + k] = t[k];
        if (k < 2) out[16 * l + 8 + k] = __double2loint(z[k] + z[k + 2]), out[16 * l + 10 + k] = __double2hiint(z[k] - z[k + 2]);
    }
}

// A bulk copy that an mbarrier is told of, arrivals whose states are waited for and counted, and a bulk copy and a sum back.
KERNEL phases(unsigned *out, const unsigned *in, int n) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ __align__(8) unsigned long long bar;
    unsigned t = threadIdx.x, b = (unsigned)__cvta_generic_to_shared(&bar), s = (unsigned)__cvta_generic_to_shared(tile), left;
    unsigned long long state;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.proxy.async;" ::"r"(b), "r"(blockDim.x) : "memory");
    __syncthreads();
    if (t == 5)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(s), "l"(in + 128 * blockIdx.x), "r"(b) : "memory");
    if (t == 5) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 512;" : "=l"(state) : "r"(b) : "memory");
    else asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(b), "l"(state) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
    out[4096 + INDEX] = (left > 0) + tile[t ^ 3];
    tile[t] += t;
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
    asm volatile("{ .reg .pred p; V: mbarrier.test_wait.parity.shared::cta.b64 p, [%0], 1; @!p bra V; }" ::"r"(b) : "memory");
    if (t == 64) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(out + 128 * blockIdx.x), "r"(s) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(out + 2048), "r"(s) : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; mbarrier.inval.shared.b64 [%0];" ::"r"(b) : "memory");
    }
}
#endif
