// Instructions, barriers and fences, constant memory, textures: what spaces.def says of these kernels an H200 measured.
// Every kernel takes what its row there says. Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx spaces.cu
#include <cuda_fp16.h>
typedef unsigned u;
typedef unsigned long long u64;
typedef cudaTextureObject_t texture;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define HERE int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y

// ---- a picture of w x w floats by loads and by textures
KERNEL rows_load(const float *a, float *o, int w) {
    int x = INDEX, y = blockIdx.y;
    o[y * w + x] = a[y * w + x];
}
KERNEL rows_texture(texture t, float *o, int w) {
    int x = INDEX, y = blockIdx.y;
    o[y * w + x] = tex2D<float>(t, x + .5f, y + .5f);
}
KERNEL columns_load(const float *a, float *o, int w) {
    int x = INDEX, y = blockIdx.y;
    o[y * w + x] = a[x * w + y];
}
KERNEL columns_texture(texture t, float *o, int w) {
    int x = INDEX, y = blockIdx.y;
    o[y * w + x] = tex2D<float>(t, y + .5f, x + .5f);
}
KERNEL linear_texture(texture t, float *o, int n) {
    int i = INDEX;
    if (i < n) o[i] = tex1Dfetch<float>(t, i);
}
KERNEL rotate_load(const float *a, float *o, int w, float c, float s) {
    HERE;
    float v = c * x - s * y + w * .25f, r = s * x + c * y - w * .1f, sum = 0;
    int i = (int)floorf(v), j = (int)floorf(r);
    float f = v - i, g = r - j;
    if (i >= 0 && j >= 0 && i < w - 1 && j < w - 1) {
        const float *p = a + j * w + i;
        sum = (1 - g) * ((1 - f) * p[0] + f * p[1]) + g * ((1 - f) * p[w] + f * p[w + 1]);
    }
    o[y * w + x] = sum;
}
KERNEL rotate_texture(texture t, float *o, int w, float c, float s) {
    HERE;
    o[y * w + x] = tex2D<float>(t, c * x - s * y + w * .25f + .5f, s * x + c * y - w * .1f + .5f);
}

// ---- 128 times one operation
#define MATH(name, what)                                                                                                                                       \
    KERNEL math_##name(float *o, float x0) {                                                                                                                   \
        float x = x0 + INDEX * 1e-6f, s = 0;                                                                                                                   \
        for (int k = 0; k < 128; k++) {                                                                                                                        \
            s += what;                                                                                                                                         \
            x += 0.001f;                                                                                                                                       \
        }                                                                                                                                                      \
        o[INDEX] = s;                                                                                                                                          \
    }
MATH(sinf, sinf(x))
MATH(quick_sinf, __sinf(x))
MATH(sin_double, (float)sin((double)x))
MATH(divide, x / (s + 2.f))
MATH(fdividef, __fdividef(x, s + 2.f))
MATH(sqrtf, sqrtf(s + x))
MATH(rsqrtf, rsqrtf(s + x + 1.f))
MATH(expf, expf(-x))
MATH(quick_expf, __expf(-x))
MATH(powf, powf(x, 1.5f))
#define INTS(name, what)                                                                                                                                       \
    KERNEL ints_##name(u *o, u d) {                                                                                                                            \
        u v = INDEX, s = 0;                                                                                                                                    \
        for (int k = 0; k < 128; k++) {                                                                                                                        \
            v = v * 1664525u + 1013904223u;                                                                                                                    \
            s += what;                                                                                                                                         \
        }                                                                                                                                                      \
        o[INDEX] = s;                                                                                                                                          \
    }
INTS(divide, v / d)
INTS(modulo, v % d)
INTS(divide_10, v / 10)
INTS(shift_4, v >> 4)
INTS(modulo_16, v % 16)
INTS(divide_64, (u)((u64)v * 77 / (d | 1ull)))
INTS(brev, __brev(v))
INTS(popc, __popc(v))
INTS(mul24, __mul24(v, d))

// ---- half precision
KERNEL axpy_float(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = 1.5f * x[i] + y[i];
}
KERNEL axpy_half(const __half *x, __half *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = __hfma(__float2half(1.5f), x[i], y[i]);
}
KERNEL axpy_half2(const __half2 *x, __half2 *y, int n) {
    int i = INDEX;
    if (i < n / 2) y[i] = __hfma2(__float2half2_rn(1.5f), x[i], y[i]);
}
KERNEL chain_float(float *o) {
    float a = INDEX;
    for (int k = 0; k < 2048; k++) a = a * .999f + .1f;
    o[INDEX] = a;
}
KERNEL chain_half(float *o) {
    __half a = __float2half(INDEX & 63);
    for (int k = 0; k < 2048; k++) a = __hfma(a, __float2half(.999f), __float2half(.1f));
    o[INDEX] = __half2float(a);
}
KERNEL chain_half2(float *o) {
    __half2 a = __float2half2_rn(INDEX & 63), b = __float2half2_rn(.999f), c = __float2half2_rn(.1f);
    for (int k = 0; k < 1024; k++) a = __hfma2(a, b, c);
    o[INDEX] = __low2float(a);
}

// ---- barriers and fences, 512 of them
#define SYNCS(name, what)                                                                                                                                      \
    KERNEL syncs_##name(float *o) {                                                                                                                            \
        __shared__ float s[1024];                                                                                                                              \
        float v = INDEX;                                                                                                                                       \
        s[threadIdx.x] = v;                                                                                                                                    \
        for (int k = 0; k < 512; k++) {                                                                                                                        \
            what;                                                                                                                                              \
            v = v * .999f + .1f;                                                                                                                               \
        }                                                                                                                                                      \
        o[INDEX] = v;                                                                                                                                          \
    }
SYNCS(none, )
SYNCS(syncthreads, __syncthreads())
SYNCS(syncwarp, __syncwarp())
SYNCS(fence_block, __threadfence_block())
SYNCS(fence_device, __threadfence())
SYNCS(exchange, __syncthreads(); s[threadIdx.x] = v; __syncthreads(); v += s[(threadIdx.x + 1) & (blockDim.x - 1)])

// ---- constant memory: m + 1 words of it
__constant__ float C[16000];
#define CONSTANTS(name, where)                                                                                                                                 \
    KERNEL const_##name(float *o, int m) {                                                                                                                     \
        float s = 0;                                                                                                                                           \
        int l = threadIdx.x & 31;                                                                                                                              \
        for (int k = 0; k < 256; k++) s += C[(where) & m];                                                                                                     \
        o[INDEX] = s;                                                                                                                                          \
    }
CONSTANTS(broadcast, k)
CONSTANTS(2way, k + (l >> 4))
CONSTANTS(8way, k + (l >> 2))
CONSTANTS(32way, k + l)
CONSTANTS(32way_spread, k * 33 + l * 17)
