// Forms of machine instructions that few programs become, each against the host: tests/twins.py holds their machine code to their PTX.
// arch: sm_90
// std: c++17
// expect: larger and smaller doubles 0 wrong
// expect: parts of words 0 wrong
// expect: pointers to anywhere 0 wrong
// expect: pointers to local memory 0 wrong
// expect: products of bytes 0 wrong
// expect: longer products of bytes 0 wrong
// expect: pairs of floats 0 wrong
// expect: branches by a table 0 wrong
// expect: copies or zeros 0 wrong
// expect: what barriers leave 0 wrong
#include "common.h"
#include <cmath>
#include <mma.h>
#include <vector>

const int N = 1 << 12, B = 128;

// DSETP.MAX, DSETP.MIN
__global__ void extremes(double *out, const double *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = fmax(in[i], in[i ^ 1]), out[2 * i + 1] = fmin(in[i], in[i ^ 3]);
}

// I2F of a half or a byte of a register, to single, double and half precision
__global__ void parts(double *out, const unsigned *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w = in[i];
    float s = (float)(unsigned short)(w >> 16) + 3 * (float)(unsigned short)w;
    s += 5 * (float)(unsigned char)(w >> 8) + (float)(signed char)(w >> 24) + (float)(short)(w >> 16);
    double d = (double)((const unsigned short *)in)[i] + (double)((const short *)in)[i + 1];
    d += (double)((const unsigned char *)in)[i] + (double)((const signed char *)in)[i + 2];
    out[i] = s + 1e7 * d + (double)(unsigned short)(w >> 3);
}

// LD, ST and ATOM of addresses that are shared memory's for some lanes and global memory's for others
__global__ void anywhere(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[B];
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    volatile unsigned *to = (in[i] & 1) ? &tile[t] : &out[i];
    *to = in[i];
    __syncthreads();
    if (!(in[i] & 1)) tile[t] = 7;
    __syncthreads();
    atomicAdd((in[i] & 4) ? &tile[t] : &out[N + i], 3u);
    __syncthreads();
    volatile const unsigned *from = (in[i] & 2) ? &tile[t ^ 1] : &in[i + 5];
    out[2 * N + i] = tile[t] + *from;
}

__global__ void local(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[8];
    unsigned mine[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8) tile[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 8; k++) mine[k] = in[i + k] * k;
    __syncthreads();
    volatile const unsigned *p = (in[i] & 1) ? mine : tile;
    out[i] = p[in[i] >> 1 & 7] + mine[in[i + 1] & 7];
}

// IMMA
template <class T> __global__ void bytes(int *out, const T *a, const T *b) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, T, row_major> x;
    fragment<matrix_b, 16, 16, 16, T, col_major> y;
    fragment<accumulator, 16, 16, 16, int> c;
    fill_fragment(c, 3);
    load_matrix_sync(x, a, 16), load_matrix_sync(y, b, 16);
    mma_sync(c, x, y, c);
    store_matrix_sync(out, c, 16, mem_row_major);
}
__global__ void longer(int *out, unsigned a, unsigned b) {
    int c[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a), "r"(b));
    for (int k = 0; k < 4; k++) out[4 * threadIdx.x + k] = c[k];
}

// REDG.ADD.F32x2
__global__ void pairs(float2 *sums) { atomicAdd(sums + threadIdx.x % 32, make_float2(1, threadIdx.x / 32 + 1)); }

// BRX
__global__ void table(unsigned *out, const unsigned *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    asm volatile("{.reg .u32 k; and.b32 k, %0, 3;\nT: .branchtargets A, B, C, D;\nbrx.idx k, T;\n"
                 "A: mul.lo.u32 %0, %0, 3; bra.uni E;\nB: not.b32 %0, %0; bra.uni E;\n"
                 "C: brev.b32 %0, %0; st.global.u32 [%1], %0; bra.uni E;\nD: popc.b32 %0, %0;\nE: }" : "+r"(x) : "l"(out + N + i) : "memory");
    out[i] = x;
}

template <class T> std::vector<T> back(const T *from, size_t n) {
    std::vector<T> to(n);
    CK(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

// LDGSTS of each kind, with zeros where a predicate says so
__device__ void copy(unsigned to, const void *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ void copy_keeping(unsigned to, const void *from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ void copy_words(unsigned to, const unsigned *from, bool none) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 8, p;\n"
                 "cp.async.ca.shared.global [%0+8], [%1+8], 4, p; cp.async.ca.shared.global [%0+12], [%1+12], 4, p; }" ::"r"(to),
                 "l"(from), "r"((int)none));
}
__global__ void copies(uint4 *out, const uint4 *in, int n) {
    __shared__ uint4 a[B], b[B], c[B];
    unsigned t = threadIdx.x, i = blockIdx.x * B + t;
    copy((unsigned)__cvta_generic_to_shared(&a[t]), in + i, i < n ? 16 : 0);
    copy_keeping((unsigned)__cvta_generic_to_shared(&b[t]), in + i, i < n ? 16 : 0);
    copy_words((unsigned)__cvta_generic_to_shared(&c[t]), (const unsigned *)(in + i), i >= n);
    asm volatile("cp.async.wait_all;");
    out[i] = make_uint4(a[t].x + b[t].x + c[t].x, a[t].y + b[t].y + c[t].y, a[t].z + b[t].z + c[t].z, a[t].w + b[t].w + c[t].w);
}

// BAR.RED and B2R
__global__ void left(unsigned *out, const unsigned *in) {
    unsigned w = in[threadIdx.x];
    int many = __syncthreads_count(w & 1), all = __syncthreads_and((w & 3) != 3), any = __syncthreads_or((w & 255) == 7);
    out[threadIdx.x] = many * 4 + (all != 0) * 2 + (any != 0);
}

int main() {
    std::vector<unsigned> w(N + 16);
    std::vector<double> d(N);
    unsigned x = 12345;
    for (unsigned &v : w) v = x = x * 1664525u + 1013904223u, v ^= v >> 15;
    for (int i = 0; i < N; i++) {
        d[i] = (int)w[i] * 0.001;
        if (i % 7 == 1) d[i] = NAN;
        if (i % 11 < 3) d[i] = i % 2 ? 0.0 : -0.0;
        if (i % 13 == 5) d[i] = i % 2 ? INFINITY : -INFINITY;
    }
    unsigned *in, *out;
    double *din, *dout;
    CK(cudaMalloc(&in, w.size() * 4)), CK(cudaMalloc(&out, 3 * N * 4)), CK(cudaMalloc(&din, N * 8)), CK(cudaMalloc(&dout, 2 * N * 8));
    CK(cudaMemcpy(in, w.data(), w.size() * 4, cudaMemcpyHostToDevice)), CK(cudaMemcpy(din, d.data(), N * 8, cudaMemcpyHostToDevice));

    int wrong = 0;
    extremes<<<N / B, B>>>(dout, din);
    auto e = back(dout, 2 * N);
    for (int i = 0; i < N; i++) {
        double a = d[i], b = d[i ^ 1], c = d[i ^ 3], more = a > b || b != b ? a : b, less = a < c || c != c ? a : c;
        if (a == b) more = std::signbit(a) ? b : a; // of zeros the positive one
        if (a == c) less = std::signbit(a) ? a : c;
        wrong += !(e[2 * i] == more && std::signbit(e[2 * i]) == std::signbit(more)) && !(more != more && e[2 * i] != e[2 * i]);
        wrong += !(e[2 * i + 1] == less && std::signbit(e[2 * i + 1]) == std::signbit(less)) && !(less != less && e[2 * i + 1] != e[2 * i + 1]);
    }
    printf("larger and smaller doubles %d wrong\n", wrong);

    wrong = 0;
    parts<<<N / B, B>>>(dout, in);
    e = back(dout, N);
    for (int i = 0; i < N; i++) {
        unsigned v = w[i];
        const unsigned short *h = (const unsigned short *)w.data();
        const unsigned char *c = (const unsigned char *)w.data();
        double s = (v >> 16) + 3.0 * (v & 0xffff) + 5.0 * (v >> 8 & 0xff) + (signed char)(v >> 24) + (short)(v >> 16); // below 2^24
        wrong += e[i] != s + 1e7 * (h[i] + (short)h[i + 1] + c[i] + (signed char)c[i + 2]) + (unsigned short)(v >> 3);
    }
    printf("parts of words %d wrong\n", wrong);

    wrong = 0;
    CK(cudaMemset(out, 0, 3 * N * 4));
    anywhere<<<N / B, B>>>(out, in);
    auto u = back(out, 3 * N);
    auto tile = [&](int i) { return ((w[i] & 1) ? w[i] : 7) + ((w[i] & 4) ? 3 : 0); };
    for (int i = 0; i < N; i++) {
        wrong += u[i] != ((w[i] & 1) ? 0 : w[i]);
        wrong += u[N + i] != ((w[i] & 4) ? 0u : 3u);
        wrong += u[2 * N + i] != tile(i) + ((w[i] & 2) ? tile(i ^ 1) : w[i + 5]);
    }
    printf("pointers to anywhere %d wrong\n", wrong);

    wrong = 0;
    local<<<N / B, B>>>(out, in);
    u = back(out, N);
    for (int i = 0; i < N; i++) {
        unsigned k = w[i] >> 1 & 7, m = w[i + 1] & 7;
        wrong += u[i] != ((w[i] & 1) ? w[i + k] * k : w[k]) + w[i + m] * m;
    }
    printf("pointers to local memory %d wrong\n", wrong);

    wrong = 0;
    bytes<<<1, 32>>>((int *)out, (const signed char *)in, (const signed char *)in + 256);
    auto c = back((int *)out, 256);
    const signed char *sb = (const signed char *)w.data();
    for (int i = 0; i < 256; i++) {
        int sum = 3;
        for (int k = 0; k < 16; k++) sum += sb[i / 16 * 16 + k] * sb[256 + i % 16 * 16 + k];
        wrong += c[i] != sum;
    }
    bytes<<<1, 32>>>((int *)out, (const unsigned char *)in, (const unsigned char *)in + 256);
    c = back((int *)out, 256);
    const unsigned char *ub = (const unsigned char *)w.data();
    for (int i = 0; i < 256; i++) {
        int sum = 3;
        for (int k = 0; k < 16; k++) sum += ub[i / 16 * 16 + k] * ub[256 + i % 16 * 16 + k];
        wrong += c[i] != sum;
    }
    printf("products of bytes %d wrong\n", wrong);

    wrong = 0;
    longer<<<1, 32>>>((int *)out, 0xfbfbfbfb, 0x07070707); // -5 or 251, and 7
    c = back((int *)out, 128);
    for (int i = 0; i < 128; i++) wrong += c[i] != i % 4 + 1 + 32 * -5 * 7 + 16 * 251 * 7;
    printf("longer products of bytes %d wrong\n", wrong);

    wrong = 0;
    CK(cudaMemset(out, 0, 256));
    pairs<<<1, 128>>>((float2 *)out);
    auto p = back((float *)out, 64);
    for (int i = 0; i < 64; i++) wrong += p[i] != (i % 2 ? 1 + 2 + 3 + 4 : 4);
    printf("pairs of floats %d wrong\n", wrong);

    wrong = 0;
    CK(cudaMemset(out, 0, 2 * N * 4));
    table<<<N / B, B>>>(out, in);
    u = back(out, 2 * N);
    for (int i = 0; i < N; i++) {
        unsigned v = w[i], turned = 0;
        for (int k = 0; k < 32; k++) turned |= (v >> k & 1) << (31 - k);
        unsigned want[4] = {v * 3, ~v, turned, (unsigned)__builtin_popcount(v)};
        wrong += u[i] != want[v & 3];
        wrong += u[N + i] != ((v & 3) == 2 ? turned : 0);
    }
    printf("branches by a table %d wrong\n", wrong);

    wrong = 0;
    copies<<<2, B>>>((uint4 *)out, (const uint4 *)in, B + 9);
    u = back(out, 2 * B * 4);
    for (int i = 0; i < 2 * B * 4; i++) wrong += u[i] != (i / 4 % B + i / 4 / B * B < B + 9 ? 3 * w[i] : 0);
    printf("copies or zeros %d wrong\n", wrong);

    wrong = 0;
    left<<<1, B>>>(out, in);
    u = back(out, B);
    unsigned many = 0, all = 1, any = 0;
    for (int i = 0; i < B; i++) many += w[i] & 1, all &= (w[i] & 3) != 3, any |= (w[i] & 255) == 7;
    for (int i = 0; i < B; i++) wrong += u[i] != many * 4 + all * 2 + any;
    printf("what barriers leave %d wrong\n", wrong);
}
