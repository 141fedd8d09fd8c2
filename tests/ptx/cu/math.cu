// needs: 80
// Every arithmetic type and function that teaching programs use.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cmath>
__global__ void f32(float *a, int n) {
    float x = a[0], y = a[1], z = a[2];
    a[0] = sinf(x); a[1] = cosf(y); a[2] = tanf(z); a[3] = expf(x); a[4] = logf(y); a[5] = powf(x, y); a[6] = sqrtf(x); a[7] = rsqrtf(y);
    a[8] = x / y; a[9] = fmodf(x, y); a[10] = floorf(x); a[11] = ceilf(y); a[12] = rintf(z); a[13] = truncf(x); a[14] = roundf(y); a[15] = fabsf(z);
    a[16] = fminf(x, y); a[17] = fmaxf(y, z); a[18] = copysignf(x, y); a[19] = __fdividef(x, y); a[20] = __expf(x); a[21] = __logf(y); a[22] = __sinf(x);
    a[23] = __powf(x, y); a[24] = __frcp_rn(x); a[25] = __frcp_rz(x); a[26] = __fsqrt_ru(y); a[27] = __fadd_rd(x, y); a[28] = __fmul_rz(x, y); a[29] = __fmaf_ru(x, y, z);
    a[30] = tanhf(x); a[31] = erff(y); a[32] = cbrtf(z); a[33] = isnan(x) ? 1.f : 0.f; a[34] = isinf(y) ? 2.f : 3.f; a[35] = __saturatef(x); a[36] = ldexpf(x, n);
    a[37] = (float)n; a[38] = __int2float_rz(n); a[39] = (float)(unsigned char)n; a[40] = (float)(long long)n; a[41] = __fdiv_rd(x, y); a[42] = hypotf(x, y);
    int e; a[43] = frexpf(x, &e) + e; a[44] = __int_as_float(n); a[45] = remainderf(x, y); a[46] = nextafterf(x, y); a[47] = exp2f(x); a[48] = log2f(y); a[49] = sinpif(x);
}
__global__ void f64(double *a, int n) {
    double x = a[0], y = a[1], z = a[2];
    a[0] = sin(x); a[1] = cos(y); a[2] = exp(x); a[3] = log(y); a[4] = pow(x, y); a[5] = sqrt(z); a[6] = rsqrt(x); a[7] = x / y; a[8] = floor(x); a[9] = rint(y);
    a[10] = fma(x, y, z); a[11] = __dadd_ru(x, y); a[12] = __ddiv_rd(x, y); a[13] = __drcp_rz(x); a[14] = __dsqrt_rn(y); a[15] = (double)n; a[16] = (double)(float)x;
    a[17] = (double)(unsigned long long)n; a[18] = fmin(x, y); a[19] = copysign(x, y); a[20] = tanh(x); a[21] = fabs(z); a[22] = isnan(x) ? 1 : 0; a[23] = __longlong_as_double(n);
}
__global__ void ints(int *a, unsigned *u, long long *l, unsigned long long *ul, short *s, signed char *c) {
    int x = a[0], y = a[1]; unsigned v = u[0], w = u[1]; long long p = l[0], q = l[1]; unsigned long long r = ul[0], t = ul[1];
    a[2] = x / y; a[3] = x % y; a[4] = x << (y & 31); a[5] = x >> y; a[6] = __mulhi(x, y); a[7] = __mul24(x, y); a[8] = abs(x); a[9] = min(x, y); a[10] = max(x, y);
    a[11] = __popc(x); a[12] = __clz(x); a[13] = __ffs(x); a[14] = __brev(x); a[15] = __byte_perm(x, y, 0x3210); a[16] = __sad(x, y, 3); a[17] = __hadd(x, y); a[18] = __rhadd(x, y);
    a[19] = __funnelshift_l(x, y, 5); a[20] = __funnelshift_rc(x, y, v); a[21] = __dp4a(x, y, 7); a[22] = __vabsdiffs4(x, y); a[23] = __vadd2(x, y); a[24] = __dp2a_lo(x, y, 3);
    a[25] = __vcmpeq4(x, y); a[26] = __vmaxu2(x, y); a[27] = __vsads4(x, y); a[28] = __fns(v, 3, 2); a[29] = (int)__float2int_ru(__int_as_float(x)); a[30] = ~x & y | (x ^ 5);
    u[2] = v / w; u[3] = v % w; u[4] = __umulhi(v, w); u[5] = v * w + 3; u[6] = v >> w; u[7] = __umul24(v, w); u[8] = __usad(v, w, 1); u[9] = __funnelshift_r(v, w, 4);
    l[2] = p / q; l[3] = p % q; l[4] = p * q; l[5] = __mul64hi(p, q); l[6] = p << 3; l[7] = __popcll(p); l[8] = __clzll(p); l[9] = __brevll(p); l[10] = p > q ? p : q; l[11] = x; l[12] = llabs(p);
    ul[2] = r / t; ul[3] = r % t; ul[4] = __umul64hi(r, t); ul[5] = r >> 7; ul[6] = v; ul[7] = (unsigned long long)__int_as_float(x);
    s[0] = s[1] * s[2]; s[3] = s[4] / s[5]; s[6] = s[7] >> 2; s[8] = (short)x; c[0] = c[1] + c[2]; c[3] = (signed char)x; c[4] = c[5] < c[6];
}
__global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f) {
    h[0] = h[1] + h[2] * h[3]; h[4] = __hfma(h[1], h[2], h[3]); h[5] = hsqrt(h[1]); h[6] = hexp(h[2]); h[7] = hrcp(h[3]); h[8] = __hmax(h[1], h[2]); h[9] = __float2half(f[0]);
    h[10] = __hadd_sat(h[1], h[2]); h[11] = h[1] < h[2] ? h[3] : h[4]; h[12] = __int2half_rn((int)f[1]); h[13] = htanh(h[5]); h[14] = hfloor(h[6]); h[15] = h[1] / h[2];
    h2[0] = h2[1] + h2[2]; h2[3] = __hfma2(h2[1], h2[2], h2[3]); h2[4] = __hmul2(h2[1], h2[2]); h2[5] = h2exp2(h2[1]); h2[6] = __hmax2(h2[1], h2[2]); h2[7] = __hgt2(h2[1], h2[2]); h2[8] = __floats2half2_rn(f[0], f[1]);
    if (__hbeq2(h2[1], h2[2])) h2[9] = __hfma2_relu(h2[1], h2[2], h2[3]);
    b[0] = b[1] + b[2]; b[3] = __hfma(b[1], b[2], b[3]); b[4] = __float2bfloat16(f[2]); b[5] = __hmax(b[1], b[2]); f[3] = __bfloat162float(b[6]); b2[0] = __hfma2(b2[1], b2[2], b2[3]); b2[4] = __float22bfloat162_rn(make_float2(f[4], f[5]));
    f[6] = __half2float(h[1]); f[7] = (float)(int)h[2]; atomicAdd(&h[20], h[1]); atomicAdd(&h2[20], h2[1]); atomicAdd(&b[20], b[1]);
}
