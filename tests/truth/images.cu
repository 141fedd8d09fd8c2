// Imaging, finance and physics: 17 groups, 40 kernels. programs.h says how to run it; with the
// argument `check` each kernel runs once, beside the first of its group.
#include "programs.h"
#include <cmath>
#include <cstdint>
#include <map>

// ------------------------------------------------------------------ conv5x5 (Gaussian, zero border)
__constant__ float c_gauss5[25];
__constant__ float c_gauss1[5];

__global__ void conv_naive(const float *in, float *out, const float *w, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float s = 0.f;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int xx = x + i, yy = y + j;
            if (xx >= 0 && xx < W && yy >= 0 && yy < H)
                s += in[yy * W + xx] * w[(j + 2) * 5 + (i + 2)];
        }
    out[y * W + x] = s;
}

__global__ void conv_shared(const float *__restrict__ in, float *__restrict__ out, int W, int H) {
    __shared__ float tile[12][36];
    int bx = blockIdx.x * 32, by = blockIdx.y * 8;
    int tid = threadIdx.y * 32 + threadIdx.x;
    for (int k = tid; k < 12 * 36; k += 256) {
        int ty = k / 36, tx = k % 36;
        int xx = bx + tx - 2, yy = by + ty - 2;
        tile[ty][tx] = (xx >= 0 && xx < W && yy >= 0 && yy < H) ? in[yy * W + xx] : 0.f;
    }
    __syncthreads();
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x >= W || y >= H) return;
    float s = 0.f;
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            s += tile[threadIdx.y + j][threadIdx.x + i] * c_gauss5[j * 5 + i];
    out[y * W + x] = s;
}

__global__ void conv_sep_fused(const float *__restrict__ in, float *__restrict__ out, int W,
                               int H) {
    __shared__ float tile[36][36];
    __shared__ float tmp[36][32];
    int bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (int ty = threadIdx.y; ty < 36; ty += 8)
        for (int tx = threadIdx.x; tx < 36; tx += 32) {
            int xx = bx + tx - 2, yy = by + ty - 2;
            tile[ty][tx] = (xx >= 0 && xx < W && yy >= 0 && yy < H) ? in[yy * W + xx] : 0.f;
        }
    __syncthreads();
    for (int ty = threadIdx.y; ty < 36; ty += 8) {
        float s = 0.f;
#pragma unroll
        for (int i = 0; i < 5; i++) s += tile[ty][threadIdx.x + i] * c_gauss1[i];
        tmp[ty][threadIdx.x] = s;
    }
    __syncthreads();
    int x = bx + threadIdx.x;
    for (int ty = threadIdx.y; ty < 32; ty += 8) {
        float s = 0.f;
#pragma unroll
        for (int j = 0; j < 5; j++) s += tmp[ty + j][threadIdx.x] * c_gauss1[j];
        if (x < W && by + ty < H) out[(by + ty) * W + x] = s;
    }
}

// ------------------------------------------------------------------ bilateral filter, radius 3
#define BR 3
__constant__ float c_spatial[(2 * BR + 1) * (2 * BR + 1)];

__global__ void bilateral_naive(const float *in, float *out, int W, int H, float ss, float sr) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float c = in[y * W + x], sum = 0.f, wsum = 0.f;
    for (int j = -BR; j <= BR; j++)
        for (int i = -BR; i <= BR; i++) {
            int xx = min(max(x + i, 0), W - 1), yy = min(max(y + j, 0), H - 1);
            float v = in[yy * W + xx];
            float ws = expf(-(float)(i * i + j * j) / (2.f * ss * ss));
            float wr = expf(-(v - c) * (v - c) / (2.f * sr * sr));
            sum += ws * wr * v;
            wsum += ws * wr;
        }
    out[y * W + x] = sum / wsum;
}

__global__ void __launch_bounds__(256)
    bilateral_tile(const float *__restrict__ in, float *__restrict__ out, int W, int H,
                   float inv2sr) {
    __shared__ float tile[16 + 2 * BR][16 + 2 * BR + 1];
    const int TW = 16 + 2 * BR;
    int bx = blockIdx.x * 16, by = blockIdx.y * 16;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < TW * TW; k += 256) {
        int ty = k / TW, tx = k - ty * TW;
        int xx = min(max(bx + tx - BR, 0), W - 1), yy = min(max(by + ty - BR, 0), H - 1);
        tile[ty][tx] = in[yy * W + xx];
    }
    __syncthreads();
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x >= W || y >= H) return;
    float c = tile[threadIdx.y + BR][threadIdx.x + BR], sum = 0.f, wsum = 0.f;
#pragma unroll
    for (int j = 0; j <= 2 * BR; j++)
#pragma unroll
        for (int i = 0; i <= 2 * BR; i++) {
            float v = tile[threadIdx.y + j][threadIdx.x + i];
            float d = v - c;
            float w = c_spatial[j * (2 * BR + 1) + i] * __expf(-d * d * inv2sr);
            sum = fmaf(w, v, sum);
            wsum += w;
        }
    out[y * W + x] = __fdividef(sum, wsum);
}

// ------------------------------------------------------------------ Sobel, 8 bit
__device__ __forceinline__ unsigned char sobel_mag(int a00, int a01, int a02, int a10, int a12,
                                                   int a20, int a21, int a22) {
    int gx = (a02 + 2 * a12 + a22) - (a00 + 2 * a10 + a20);
    int gy = (a20 + 2 * a21 + a22) - (a00 + 2 * a01 + a02);
    int m = (int)sqrtf((float)(gx * gx + gy * gy));
    return (unsigned char)(m > 255 ? 255 : m);
}

__global__ void sobel_naive(const unsigned char *in, unsigned char *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    unsigned char r = 0;
    if (x > 0 && y > 0 && x < W - 1 && y < H - 1)
        r = sobel_mag(in[(y - 1) * W + x - 1], in[(y - 1) * W + x], in[(y - 1) * W + x + 1],
                      in[y * W + x - 1], in[y * W + x + 1], in[(y + 1) * W + x - 1],
                      in[(y + 1) * W + x], in[(y + 1) * W + x + 1]);
    out[y * W + x] = r;
}

// the usual classroom version: 16x16 threads load an 18x18 halo tile with border branches
__global__ void sobel_halo(const unsigned char *in, unsigned char *out, int W, int H) {
    __shared__ unsigned char t[18][18];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    auto px = [&](int xx, int yy) -> unsigned char {
        return (xx >= 0 && yy >= 0 && xx < W && yy < H) ? in[yy * W + xx] : 0;
    };
    t[ty + 1][tx + 1] = px(x, y);
    if (tx == 0) t[ty + 1][0] = px(x - 1, y);
    if (tx == 15) t[ty + 1][17] = px(x + 1, y);
    if (ty == 0) t[0][tx + 1] = px(x, y - 1);
    if (ty == 15) t[17][tx + 1] = px(x, y + 1);
    if (tx == 0 && ty == 0) t[0][0] = px(x - 1, y - 1);
    if (tx == 15 && ty == 0) t[0][17] = px(x + 1, y - 1);
    if (tx == 0 && ty == 15) t[17][0] = px(x - 1, y + 1);
    if (tx == 15 && ty == 15) t[17][17] = px(x + 1, y + 1);
    __syncthreads();
    if (x >= W || y >= H) return;
    unsigned char r = 0;
    if (x > 0 && y > 0 && x < W - 1 && y < H - 1)
        r = sobel_mag(t[ty][tx], t[ty][tx + 1], t[ty][tx + 2], t[ty + 1][tx], t[ty + 1][tx + 2],
                      t[ty + 2][tx], t[ty + 2][tx + 1], t[ty + 2][tx + 2]);
    out[y * W + x] = r;
}

// four pixels per thread; W is a multiple of 4
__global__ void sobel_quad(const unsigned char *__restrict__ in, unsigned char *__restrict__ out,
                           int W, int H) {
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    uchar4 r = make_uchar4(0, 0, 0, 0);
    if (y > 0 && y < H - 1) {
        int p[3][6];
#pragma unroll
        for (int j = 0; j < 3; j++) {
            const unsigned char *row = in + (size_t)(y + j - 1) * W + x;
            uchar4 v = *(const uchar4 *)row;
            p[j][0] = x > 0 ? row[-1] : 0;
            p[j][1] = v.x;
            p[j][2] = v.y;
            p[j][3] = v.z;
            p[j][4] = v.w;
            p[j][5] = x + 4 < W ? row[4] : 0;
        }
        unsigned char m[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            m[k] = sobel_mag(p[0][k], p[0][k + 1], p[0][k + 2], p[1][k], p[1][k + 2], p[2][k],
                             p[2][k + 1], p[2][k + 2]);
        r = make_uchar4(x > 0 ? m[0] : 0, m[1], m[2], x + 4 < W ? m[3] : 0);
    }
    *(uchar4 *)(out + (size_t)y * W + x) = r;
}

// ------------------------------------------------------------------ integral image, row pass (W = 1024)
__global__ void rowscan_thread(const unsigned char *in, unsigned *out, int W, int H) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= H) return;
    unsigned s = 0;
    for (int x = 0; x < W; x++) {
        s += in[row * W + x];
        out[row * W + x] = s;
    }
}

__global__ void rowscan_hillis(const unsigned char *in, unsigned *out, int W) {
    __shared__ unsigned buf[2][1024];
    int x = threadIdx.x, row = blockIdx.x, cur = 0;
    buf[0][x] = in[row * W + x];
    __syncthreads();
    for (int d = 1; d < W; d *= 2) {
        if (x >= d) buf[1 - cur][x] = buf[cur][x] + buf[cur][x - d];
        else buf[1 - cur][x] = buf[cur][x];
        cur = 1 - cur;
        __syncthreads();
    }
    out[row * W + x] = buf[cur][x];
}

__global__ void __launch_bounds__(256)
    rowscan_shfl(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int W) {
    __shared__ unsigned wsum[8];
    int t = threadIdx.x, lane = t & 31, wid = t >> 5, row = blockIdx.x;
    uchar4 v = ((const uchar4 *)(in + (size_t)row * W))[t];
    unsigned a = v.x, b = a + v.y, c = b + v.z, d = c + v.w;
    unsigned s = d;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        unsigned n = __shfl_up_sync(0xffffffffu, s, o);
        if (lane >= o) s += n;
    }
    if (lane == 31) wsum[wid] = s;
    __syncthreads();
    unsigned base = s - d;
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (k < wid) base += wsum[k];
    ((uint4 *)(out + (size_t)row * W))[t] = make_uint4(base + a, base + b, base + c, base + d);
}

// ------------------------------------------------------------------ RGB -> YUV, interleaved bytes
__device__ __forceinline__ void yuv(int r, int g, int b, unsigned &y, unsigned &u, unsigned &v) {
    y = (77 * r + 150 * g + 29 * b) >> 8;
    u = ((-43 * r - 85 * g + 128 * b) >> 8) + 128;
    v = ((128 * r - 107 * g - 21 * b) >> 8) + 128;
}

__global__ void rgb2yuv_bytes(const unsigned char *rgb, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned y, u, v;
    yuv(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], y, u, v);
    out[3 * i] = (unsigned char)y;
    out[3 * i + 1] = (unsigned char)u;
    out[3 * i + 2] = (unsigned char)v;
}

// four pixels are three words
__global__ void rgb2yuv_words(const unsigned *__restrict__ rgb, unsigned *__restrict__ out,
                              int nquads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nquads) return;
    unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
    unsigned y0, u0, v0, y1, u1, v1, y2, u2, v2, y3, u3, v3;
    yuv(a & 255, (a >> 8) & 255, (a >> 16) & 255, y0, u0, v0);
    yuv(a >> 24, b & 255, (b >> 8) & 255, y1, u1, v1);
    yuv((b >> 16) & 255, b >> 24, c & 255, y2, u2, v2);
    yuv((c >> 8) & 255, (c >> 16) & 255, c >> 24, y3, u3, v3);
    out[3 * i] = y0 | u0 << 8 | v0 << 16 | y1 << 24;
    out[3 * i + 1] = u1 | v1 << 8 | y2 << 16 | u2 << 24;
    out[3 * i + 2] = v2 | y3 << 8 | u3 << 16 | v3 << 24;
}

// ------------------------------------------------------------------ 8x8 DCT-II
__constant__ float c_dct[64]; // c_dct[u * 8 + x] = a(u) cos((2x+1) u pi / 16)

// one thread per coefficient, the formula as it stands in the book
__global__ void dct_direct(const float *img, float *out, int W, int H) {
    int X = blockIdx.x * blockDim.x + threadIdx.x;
    int Y = blockIdx.y * blockDim.y + threadIdx.y;
    if (X >= W || Y >= H) return;
    int u = X & 7, v = Y & 7, x0 = X & ~7, y0 = Y & ~7;
    float s = 0.f;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            s += img[(y0 + y) * W + x0 + x] * c_dct[u * 8 + x] * c_dct[v * 8 + y];
    out[Y * W + X] = s;
}

// rows then columns in shared memory; 32x8 threads hold four 8x8 blocks
__global__ void dct_separable(const float *__restrict__ img, float *__restrict__ out, int W,
                              int H) {
    __shared__ float s[8][33], r[8][33], tab[8][9];
    int tx = threadIdx.x, ty = threadIdx.y;
    int X = blockIdx.x * 32 + tx, Y = blockIdx.y * 8 + ty;
    int t = ty * 32 + tx;
    if (t < 64) tab[t >> 3][t & 7] = c_dct[t];
    s[ty][tx] = img[Y * W + X];
    __syncthreads();
    int u = tx & 7, b = tx & ~7;
    float acc = 0.f;
#pragma unroll
    for (int x = 0; x < 8; x++) acc += s[ty][b + x] * tab[u][x];
    r[ty][tx] = acc;
    __syncthreads();
    acc = 0.f;
#pragma unroll
    for (int y = 0; y < 8; y++) acc += r[y][tx] * tab[ty][y];
    out[Y * W + X] = acc;
}

// ------------------------------------------------------------------ 3x3 median, 8 bit, clamped border
__global__ void median_sort(const unsigned char *in, unsigned char *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    unsigned char v[9];
    int n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int xx = min(max(x + i, 0), W - 1), yy = min(max(y + j, 0), H - 1);
            v[n++] = in[yy * W + xx];
        }
    // insertion sort
    for (int i = 1; i < 9; i++) {
        unsigned char key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
    out[y * W + x] = v[4];
}

#define MM(a, b)                                                                                   \
    {                                                                                              \
        int lo_ = min(a, b);                                                                       \
        b = max(a, b);                                                                             \
        a = lo_;                                                                                   \
    }
__global__ void median_network(const unsigned char *__restrict__ in,
                               unsigned char *__restrict__ out, int W, int H) {
    __shared__ unsigned char t[10][34];
    int bx = blockIdx.x * 32, by = blockIdx.y * 8;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        int ty = k / 34, tx = k % 34;
        int xx = min(max(bx + tx - 1, 0), W - 1), yy = min(max(by + ty - 1, 0), H - 1);
        t[ty][tx] = in[yy * W + xx];
    }
    __syncthreads();
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x >= W || y >= H) return;
    int p[9];
#pragma unroll
    for (int k = 0; k < 9; k++) p[k] = t[threadIdx.y + k / 3][threadIdx.x + k % 3];
    MM(p[1], p[2])
    MM(p[4], p[5]) MM(p[7], p[8]) MM(p[0], p[1]) MM(p[3], p[4]) MM(p[6], p[7]) MM(p[1], p[2])
        MM(p[4], p[5]) MM(p[7], p[8]) MM(p[0], p[3]) MM(p[5], p[8]) MM(p[4], p[7]) MM(p[3], p[6])
            MM(p[1], p[4]) MM(p[2], p[5]) MM(p[4], p[7]) MM(p[4], p[2]) MM(p[6], p[4])
                MM(p[4], p[2]) out[y * W + x] = (unsigned char)p[4];
}

// ------------------------------------------------------------------ affine warp, bilinear, zero outside
struct Affine {
    float a, b, c, d, e, f;
};
__global__ void affine_global(const float *src, float *dst, int W, int H, Affine m) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float sx = m.a * x + m.b * y + m.c, sy = m.d * x + m.e * y + m.f;
    int ix = (int)floorf(sx), iy = (int)floorf(sy);
    float fx = sx - ix, fy = sy - iy;
    float v00 = 0.f, v01 = 0.f, v10 = 0.f, v11 = 0.f;
    if (iy >= 0 && iy < H) {
        if (ix >= 0 && ix < W) v00 = src[iy * W + ix];
        if (ix + 1 >= 0 && ix + 1 < W) v01 = src[iy * W + ix + 1];
    }
    if (iy + 1 >= 0 && iy + 1 < H) {
        if (ix >= 0 && ix < W) v10 = src[(iy + 1) * W + ix];
        if (ix + 1 >= 0 && ix + 1 < W) v11 = src[(iy + 1) * W + ix + 1];
    }
    dst[y * W + x] = (1 - fy) * ((1 - fx) * v00 + fx * v01) + fy * ((1 - fx) * v10 + fx * v11);
}

__global__ void affine_texture(cudaTextureObject_t tex, float *dst, int W, int H, Affine m) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float sx = m.a * x + m.b * y + m.c, sy = m.d * x + m.e * y + m.f;
    dst[y * W + x] = tex2D<float>(tex, sx + 0.5f, sy + 0.5f);
}

// ------------------------------------------------------------------ American put, binomial tree of 127 steps
#define NST 127
struct Tree {
    float u, p, disc, vdt;
};
__device__ __forceinline__ Tree tree_of(float sigma) {
    float dt = 1.0f / NST, r = 0.05f;
    Tree t;
    t.vdt = sigma * sqrtf(dt);
    t.u = expf(t.vdt);
    float d = 1.0f / t.u;
    t.disc = expf(-r * dt);
    t.p = (expf(r * dt) - d) / (t.u - d);
    return t;
}

// a block per option, values in global scratch, two barriers a step, powf at each node
__global__ void binomial_global(const float *S, const float *K, const float *V, float *out,
                                float *scratch) {
    int o = blockIdx.x, i = threadIdx.x;
    float *v = scratch + o * (NST + 1);
    Tree t = tree_of(V[o]);
    float s0 = S[o], k = K[o];
    v[i] = fmaxf(k - s0 * powf(t.u, (float)(2 * i - NST)), 0.f);
    __syncthreads();
    for (int step = NST - 1; step >= 0; step--) {
        float x = 0.f;
        if (i <= step) {
            x = t.disc * (t.p * v[i + 1] + (1.f - t.p) * v[i]);
            x = fmaxf(x, k - s0 * powf(t.u, (float)(2 * i - step)));
        }
        __syncthreads();
        if (i <= step) v[i] = x;
        __syncthreads();
    }
    if (i == 0) out[o] = v[0];
}

// values in shared memory, two buffers, one barrier a step, the spot carried in a register
__global__ void binomial_shared(const float *S, const float *K, const float *V, float *out) {
    __shared__ float buf[2][NST + 1];
    int o = blockIdx.x, i = threadIdx.x, cur = 0;
    Tree t = tree_of(V[o]);
    float k = K[o], s = S[o] * expf(t.vdt * (float)(2 * i - NST));
    float pu = t.disc * t.p, pd = t.disc * (1.f - t.p);
    buf[0][i] = fmaxf(k - s, 0.f);
    __syncthreads();
    for (int step = NST - 1; step >= 0; step--) {
        s *= t.u;
        if (i <= step) buf[cur ^ 1][i] = fmaxf(pu * buf[cur][i + 1] + pd * buf[cur][i], k - s);
        cur ^= 1;
        __syncthreads();
    }
    if (i == 0) out[o] = buf[cur][0];
}

// a warp per option, four nodes a lane in registers
__global__ void __launch_bounds__(64)
    binomial_warp(const float *__restrict__ S, const float *__restrict__ K,
                  const float *__restrict__ V, float *__restrict__ out, int n) {
    int o = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (o >= n) return;
    Tree t = tree_of(V[o]);
    float k = K[o], pu = t.disc * t.p, pd = t.disc * (1.f - t.p);
    float s[4], v[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        s[j] = S[o] * expf(t.vdt * (float)(2 * (lane * 4 + j) - NST));
        v[j] = fmaxf(k - s[j], 0.f);
    }
    for (int step = NST - 1; step >= 0; step--) {
        float nx = __shfl_down_sync(0xffffffffu, v[0], 1);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            s[j] *= t.u;
            float up = j < 3 ? v[j < 3 ? j + 1 : 3] : nx;
            v[j] = fmaxf(fmaf(pu, up, pd * v[j]), k - s[j]);
        }
    }
    if (lane == 0) out[o] = v[0];
}

// ------------------------------------------------------------------ Monte Carlo Asian call, Philox 4x32-10
__device__ __forceinline__ uint4 philox(uint4 c, unsigned k0, unsigned k1) {
#pragma unroll
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}
__device__ __forceinline__ float unif(unsigned x) {
    return ((float)(x >> 8) + 0.5f) * (1.0f / 16777216.0f);
}
#define MCSTEPS 16

// calls the generator for every step and keeps one of its four numbers; one atomic a path
__global__ void asian_atomic(float *sum, int paths, float S0, float K, float r, float sigma,
                             float T) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float dt = T / MCSTEPS, s = S0, avg = 0.f;
    for (int st = 0; st < MCSTEPS; st++) {
        uint4 q = philox(make_uint4(p, st / 4, 0, 0), 1234u, 5678u);
        float u1, u2;
        if (st % 4 < 2) {
            u1 = unif(q.x);
            u2 = unif(q.y);
        } else {
            u1 = unif(q.z);
            u2 = unif(q.w);
        }
        float rad = sqrtf(-2.f * logf(u1)), th = 6.2831853f * u2;
        float z = (st % 2 == 0) ? rad * cosf(th) : rad * sinf(th);
        s *= expf((r - 0.5f * sigma * sigma) * dt + sigma * sqrtf(dt) * z);
        avg += s;
    }
    float pay = expf(-r * T) * fmaxf(avg / MCSTEPS - K, 0.f);
    atomicAdd(sum, pay);
}

// four normals a call, intrinsics, a shuffle reduction and one atomic a block
__global__ void __launch_bounds__(128)
    asian_block(float *sum, int paths, float S0, float K, float drift, float vol, float disc) {
    __shared__ float part[4];
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float pay = 0.f;
    if (p < paths) {
        float s = S0, avg = 0.f;
#pragma unroll
        for (int g = 0; g < MCSTEPS / 4; g++) {
            uint4 q = philox(make_uint4(p, g, 0, 0), 1234u, 5678u);
            float z[4];
            float r0 = sqrtf(fmaxf(-2.f * __logf(unif(q.x)), 0.f)); // __logf may be above 0 near 1
            float r1 = sqrtf(fmaxf(-2.f * __logf(unif(q.z)), 0.f));
            float sn, cs;
            __sincosf(6.2831853f * unif(q.y), &sn, &cs);
            z[0] = r0 * cs;
            z[1] = r0 * sn;
            __sincosf(6.2831853f * unif(q.w), &sn, &cs);
            z[2] = r1 * cs;
            z[3] = r1 * sn;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                s *= __expf(fmaf(vol, z[k], drift));
                avg += s;
            }
        }
        pay = disc * fmaxf(avg * (1.f / MCSTEPS) - K, 0.f);
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) pay += __shfl_down_sync(0xffffffffu, pay, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = pay;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, part[0] + part[1] + part[2] + part[3]);
}

// ------------------------------------------------------------------ 3D heat step, 7 points, fixed faces
__global__ void heat_naive(const float *u, float *v, int nx, int ny, int nz, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int i = (z * ny + y) * nx + x;
    v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - nx * ny] +
                       u[i + nx * ny] - 6.f * u[i]);
}

// threadIdx.x walks the slowest dimension
__global__ void heat_zfirst(const float *u, float *v, int nx, int ny, int nz, float k) {
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int i = (z * ny + y) * nx + x;
    v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - nx * ny] +
                       u[i + nx * ny] - 6.f * u[i]);
}

// a 32x8 tile marches through ZC planes; below, here and above are registers
#define ZC 32
__global__ void __launch_bounds__(256)
    heat_march(const float *__restrict__ u, float *__restrict__ v, int nx, int ny, int nz,
               float k) {
    __shared__ float t[10][34];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    int z0 = max(blockIdx.z * ZC, 1), z1 = min((int)(blockIdx.z + 1) * ZC, nz - 1);
    int plane = nx * ny, i = (z0 * ny + y) * nx + x;
    bool in = x >= 1 && y >= 1 && x < nx - 1 && y < ny - 1;
    float below = u[i - plane], here = u[i];
    for (int z = z0; z < z1; z++, i += plane) {
        float above = u[i + plane];
        t[ty + 1][tx + 1] = here;
        if (tx == 0 && x > 0) t[ty + 1][0] = u[i - 1];
        if (tx == 31 && x < nx - 1) t[ty + 1][33] = u[i + 1];
        if (ty == 0 && y > 0) t[0][tx + 1] = u[i - nx];
        if (ty == 7 && y < ny - 1) t[9][tx + 1] = u[i + nx];
        __syncthreads();
        if (in)
            v[i] = here + k * (t[ty + 1][tx] + t[ty + 1][tx + 2] + t[ty][tx + 1] +
                               t[ty + 2][tx + 1] + below + above - 6.f * here);
        below = here;
        here = above;
        __syncthreads();
    }
}

// ------------------------------------------------------------------ lattice Boltzmann D2Q9, pull, periodic
__device__ const int d_cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__device__ const int d_cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__device__ const float d_w[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

// node-major distributions and loops over tables
__global__ void lbm_aos(const float *f, float *g, int W, int H, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float fi[9], rho = 0.f, ux = 0.f, uy = 0.f;
    for (int q = 0; q < 9; q++) {
        int xs = (x - d_cx[q] + W) % W, ys = (y - d_cy[q] + H) % H;
        fi[q] = f[(ys * W + xs) * 9 + q];
        rho += fi[q];
        ux += fi[q] * d_cx[q];
        uy += fi[q] * d_cy[q];
    }
    ux /= rho;
    uy /= rho;
    float uu = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < 9; q++) {
        float cu = 3.f * (d_cx[q] * ux + d_cy[q] * uy);
        float eq = d_w[q] * rho * (1.f + cu + 0.5f * cu * cu - uu);
        g[(y * W + x) * 9 + q] = fi[q] + omega * (eq - fi[q]);
    }
}

// direction-major, unrolled by hand
__global__ void __launch_bounds__(128)
    lbm_soa(const float *__restrict__ f, float *__restrict__ g, int W, int H, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= W) return;
    int n = W * H;
    int xm = x == 0 ? W - 1 : x - 1, xp = x == W - 1 ? 0 : x + 1;
    int ym = y == 0 ? H - 1 : y - 1, yp = y == H - 1 ? 0 : y + 1;
    float f0 = f[y * W + x];
    float f1 = f[n + y * W + xm], f3 = f[3 * n + y * W + xp];
    float f2 = f[2 * n + ym * W + x], f4 = f[4 * n + yp * W + x];
    float f5 = f[5 * n + ym * W + xm], f6 = f[6 * n + ym * W + xp];
    float f7 = f[7 * n + yp * W + xp], f8 = f[8 * n + yp * W + xm];
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float inv = __fdividef(1.f, rho);
    float ux = (f1 - f3 + f5 - f6 - f7 + f8) * inv, uy = (f2 - f4 + f5 + f6 - f7 - f8) * inv;
    float base = 1.f - 1.5f * (ux * ux + uy * uy);
    float r0 = omega * rho * (4.f / 9), r1 = omega * rho * (1.f / 9), r2 = omega * rho * (1.f / 36);
    float k = 1.f - omega;
    int i = y * W + x;
    g[i] = k * f0 + r0 * base;
    auto eq = [&](float cu) { return base + 3.f * cu + 4.5f * cu * cu; };
    g[n + i] = k * f1 + r1 * eq(ux);
    g[2 * n + i] = k * f2 + r1 * eq(uy);
    g[3 * n + i] = k * f3 + r1 * eq(-ux);
    g[4 * n + i] = k * f4 + r1 * eq(-uy);
    g[5 * n + i] = k * f5 + r2 * eq(ux + uy);
    g[6 * n + i] = k * f6 + r2 * eq(uy - ux);
    g[7 * n + i] = k * f7 + r2 * eq(-ux - uy);
    g[8 * n + i] = k * f8 + r2 * eq(ux - uy);
}

// ------------------------------------------------------------------ N-body accelerations
struct Body {
    float x, y, z, vx, vy, vz, m;
};
__global__ void nbody_struct(const Body *b, float *acc, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float ax = 0.f, ay = 0.f, az = 0.f;
    for (int j = 0; j < n; j++) {
        float dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
        float d = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = b[j].m / (d * d * d);
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    acc[3 * i] = ax;
    acc[3 * i + 1] = ay;
    acc[3 * i + 2] = az;
}

__global__ void __launch_bounds__(64)
    nbody_tile(const float4 *__restrict__ pos, float *__restrict__ acc, int n) {
    __shared__ float4 sh[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 p = pos[i];
    float ax = 0.f, ay = 0.f, az = 0.f;
    for (int t = 0; t < n; t += 64) {
        sh[threadIdx.x] = pos[t + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < 64; j++) {
            float4 q = sh[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float inv = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
            float s = q.w * inv * inv * inv;
            ax = fmaf(dx, s, ax);
            ay = fmaf(dy, s, ay);
            az = fmaf(dz, s, az);
        }
        __syncthreads();
    }
    acc[3 * i] = ax;
    acc[3 * i + 1] = ay;
    acc[3 * i + 2] = az;
}

// ------------------------------------------------------------------ Lennard-Jones forces, neighbour lists
#define MAXNB 96
__global__ void lj_rows(const float *px, const float *py, const float *pz, const int *cnt,
                        const int *nb, float *fx, float *fy, float *fz, int n, float Lx, float Ly,
                        float Lz, float rc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    fx[i] = 0.f;
    fy[i] = 0.f;
    fz[i] = 0.f;
    for (int k = 0; k < cnt[i]; k++) {
        int j = nb[i * MAXNB + k];
        float dx = px[i] - px[j], dy = py[i] - py[j], dz = pz[i] - pz[j];
        dx -= Lx * rintf(dx / Lx);
        dy -= Ly * rintf(dy / Ly);
        dz -= Lz * rintf(dz / Lz);
        float r2 = dx * dx + dy * dy + dz * dz;
        if (sqrtf(r2) < rc) {
            float s2 = 1.f / r2, s6 = s2 * s2 * s2;
            float f = 24.f * s2 * s6 * (2.f * s6 - 1.f);
            fx[i] += f * dx;
            fy[i] += f * dy;
            fz[i] += f * dz;
        }
    }
}

__global__ void __launch_bounds__(128)
    lj_columns(const float4 *__restrict__ pos, const int *__restrict__ cnt,
               const int *__restrict__ nbT, float4 *__restrict__ force, int n, float3 L,
               float3 invL, float rc2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i];
    float ax = 0.f, ay = 0.f, az = 0.f;
    int c = cnt[i];
#pragma unroll 4
    for (int k = 0; k < c; k++) {
        float4 q = pos[nbT[k * n + i]];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        dx = fmaf(-L.x, rintf(dx * invL.x), dx);
        dy = fmaf(-L.y, rintf(dy * invL.y), dy);
        dz = fmaf(-L.z, rintf(dz * invL.z), dz);
        float r2 = dx * dx + dy * dy + dz * dz;
        float s2 = __fdividef(1.f, r2), s6 = s2 * s2 * s2;
        float f = r2 < rc2 ? 24.f * s2 * s6 * (2.f * s6 - 1.f) : 0.f;
        ax = fmaf(f, dx, ax);
        ay = fmaf(f, dy, ay);
        az = fmaf(f, dz, az);
    }
    force[i] = make_float4(ax, ay, az, 0.f);
}

// ------------------------------------------------------------------ batched complex FFT of 1024 points
__global__ void fft_radix2(const float2 *in, float2 *out) {
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    const float2 *src = in + blockIdx.x * 1024;
    s[__brev(t) >> 22] = src[t];
    s[__brev(t + 512) >> 22] = src[t + 512];
    __syncthreads();
    for (int st = 0; st < 10; st++) {
        int half = 1 << st, k = t & (half - 1);
        int i0 = ((t >> st) << (st + 1)) + k, i1 = i0 + half;
        float sn, cs;
        sincosf(-3.14159265f * k / half, &sn, &cs);
        float2 a = s[i0], b = s[i1];
        float2 w = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
        s[i0] = make_float2(a.x + w.x, a.y + w.y);
        s[i1] = make_float2(a.x - w.x, a.y - w.y);
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = s[t];
    out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}

__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
// Stockham radix 4: five stages through shared memory, twiddles from a table
__global__ void __launch_bounds__(256)
    fft_radix4(const float2 *__restrict__ in, float2 *__restrict__ out,
               const float2 *__restrict__ tw) {
    __shared__ float2 s[1024];
    int j = threadIdx.x;
    const float2 *src = in + blockIdx.x * 1024;
    float2 *dst = out + blockIdx.x * 1024;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = src[j + r * 256];
#pragma unroll
    for (int Ns = 1; Ns < 1024; Ns *= 4) {
        int k = j & (Ns - 1);
        if (Ns > 1) {
            int a = k * (256 / Ns);
            v[1] = cmul(v[1], tw[a]);
            v[2] = cmul(v[2], tw[2 * a]);
            v[3] = cmul(v[3], tw[3 * a]);
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y);
        float2 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y);
        float2 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x); // -i (v1 - v3)
        v[0] = make_float2(a.x + c.x, a.y + c.y);
        v[1] = make_float2(b.x + d.x, b.y + d.y);
        v[2] = make_float2(a.x - c.x, a.y - c.y);
        v[3] = make_float2(b.x - d.x, b.y - d.y);
        int o = (j - k) * 4 + k;
        if (Ns < 256) {
            if (Ns > 1) __syncthreads(); // the previous stage's reads
#pragma unroll
            for (int r = 0; r < 4; r++) s[o + r * Ns] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) v[r] = s[j + r * 256];
        } else {
#pragma unroll
            for (int r = 0; r < 4; r++) dst[o + r * Ns] = v[r];
        }
    }
}

// ------------------------------------------------------------------ tridiagonal systems of 128 unknowns
#define TN 128
// element i of system s is at s * TN + i (rows) or at i * nsys + s (interleaved)
__global__ void thomas_rows(const float *a, const float *b, const float *c, const float *d,
                            float *cp, float *x, int nsys) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= nsys) return;
    int o = s * TN;
    cp[o] = c[o] / b[o];
    x[o] = d[o] / b[o];
    for (int i = 1; i < TN; i++) {
        float m = b[o + i] - a[o + i] * cp[o + i - 1];
        cp[o + i] = c[o + i] / m;
        x[o + i] = (d[o + i] - a[o + i] * x[o + i - 1]) / m;
    }
    for (int i = TN - 2; i >= 0; i--) x[o + i] = x[o + i] - cp[o + i] * x[o + i + 1];
}

__global__ void __launch_bounds__(64)
    thomas_interleaved(const float *__restrict__ a, const float *__restrict__ b,
                       const float *__restrict__ c, const float *__restrict__ d,
                       float *__restrict__ cp, float *__restrict__ x, int nsys) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= nsys) return;
    float pc = 0.f, pd = 0.f;
#pragma unroll 4
    for (int i = 0; i < TN; i++) {
        int k = i * nsys + s;
        float ai = a[k];
        float m = __fdividef(1.f, b[k] - ai * pc);
        pd = (d[k] - ai * pd) * m;
        pc = c[k] * m;
        cp[k] = pc;
        x[k] = pd;
    }
#pragma unroll 4
    for (int i = TN - 2; i >= 0; i--) {
        int k = i * nsys + s;
        pd = x[k] - cp[k] * pd;
        x[k] = pd;
    }
}

// parallel cyclic reduction, a block per system
__global__ void __launch_bounds__(TN)
    pcr_block(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
              const float *__restrict__ d, float *__restrict__ x) {
    __shared__ float sa[TN], sb[TN], sc[TN], sd[TN];
    int i = threadIdx.x, o = blockIdx.x * TN + i;
    float ai = a[o], bi = b[o], ci = c[o], di = d[o];
    for (int st = 1; st < TN; st *= 2) {
        sa[i] = ai;
        sb[i] = bi;
        sc[i] = ci;
        sd[i] = di;
        __syncthreads();
        if (i >= st) {
            float k = -ai / sb[i - st];
            ai = k * sa[i - st];
            bi += k * sc[i - st];
            di += k * sd[i - st];
        } else ai = 0.f;
        if (i + st < TN) {
            float k = -ci / sb[i + st];
            ci = k * sc[i + st];
            bi += k * sa[i + st];
            di += k * sd[i + st];
        } else ci = 0.f;
        __syncthreads();
    }
    x[o] = di / bi;
}

// ------------------------------------------------------------------ cloud-in-cell deposit on a periodic grid
#define GRD 256
#define TIL 16
__global__ void cic_atomic(const float *px, const float *py, const float *q, float *grid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int ix = (int)px[i], iy = (int)py[i];
    float fx = px[i] - ix, fy = py[i] - iy;
    int x1 = (ix + 1) % GRD, y1 = (iy + 1) % GRD;
    atomicAdd(&grid[iy * GRD + ix], q[i] * (1 - fx) * (1 - fy));
    atomicAdd(&grid[iy * GRD + x1], q[i] * fx * (1 - fy));
    atomicAdd(&grid[y1 * GRD + ix], q[i] * (1 - fx) * fy);
    atomicAdd(&grid[y1 * GRD + x1], q[i] * fx * fy);
}

// particles sorted by 16x16 tile, a block per tile, added up in shared memory
__global__ void __launch_bounds__(256)
    cic_tiles(const float4 *__restrict__ part, const int *__restrict__ start, float *grid) {
    __shared__ float t[TIL + 1][TIL + 1];
    for (int k = threadIdx.x; k < (TIL + 1) * (TIL + 1); k += 256)
        t[k / (TIL + 1)][k % (TIL + 1)] = 0.f;
    __syncthreads();
    int bx = (blockIdx.x % (GRD / TIL)) * TIL, by = (blockIdx.x / (GRD / TIL)) * TIL;
    int e = start[blockIdx.x + 1];
    for (int i = start[blockIdx.x] + threadIdx.x; i < e; i += 256) {
        float4 p = part[i];
        int ix = (int)p.x, iy = (int)p.y;
        float fx = p.x - ix, fy = p.y - iy;
        ix -= bx;
        iy -= by;
        atomicAdd(&t[iy][ix], p.z * (1 - fx) * (1 - fy));
        atomicAdd(&t[iy][ix + 1], p.z * fx * (1 - fy));
        atomicAdd(&t[iy + 1][ix], p.z * (1 - fx) * fy);
        atomicAdd(&t[iy + 1][ix + 1], p.z * fx * fy);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < (TIL + 1) * (TIL + 1); k += 256) {
        int yy = k / (TIL + 1), xx = k % (TIL + 1);
        atomicAdd(&grid[((by + yy) % GRD) * GRD + (bx + xx) % GRD], t[yy][xx]);
    }
}

// ------------------------------------------------------------------ host
static uint64_t rng_state = 88172645463325252ull;
static double rnd() { // xorshift64, fixed seed
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * (1.0 / 9007199254740992.0);
}
template <class T> static T *up(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *room(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
static std::vector<float> noise(size_t n, double lo, double hi) {
    std::vector<float> v(n);
    for (auto &x : v) x = (float)(lo + (hi - lo) * rnd());
    return v;
}
static std::vector<unsigned char> bytes(size_t n) {
    std::vector<unsigned char> v(n);
    for (auto &x : v) x = (unsigned char)(rnd() * 256);
    return v;
}

typedef std::vector<float> Vec;
struct Out { // how check clears and reads a variant's result
    std::function<void()> clear;
    std::function<Vec()> get;
};
template <class T> static std::vector<T> down(const T *p, size_t n) {
    std::vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
template <class T> static Out result(T *p, size_t n) {
    return {[=] { CK(cudaMemset(p, 0, n * sizeof(T))); },
            [=] {
                std::vector<T> h = down(p, n);
                return Vec(h.begin(), h.end());
            }};
}
static bool checking = false;
static std::map<std::string, Vec> refs;
static int failures = 0;
static void variant(const char *g, const char *v, double tol, Out out, std::function<void()> f) {
    if (!checking) {
        bench(g, v, f);
        return;
    }
    out.clear();
    CK(cudaDeviceSynchronize());
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    Vec got = out.get();
    bool ok = true;
    double top = 0, worst = 0;
    if (!refs.count(g)) refs[g] = got;
    const Vec &ref = refs[g];
    if (got.size() != ref.size()) ok = false;
    for (float r : ref) top = std::max(top, (double)std::fabs(r));
    for (size_t i = 0; ok && i < ref.size(); i++) {
        double e = std::fabs((double)got[i] - ref[i]);
        if (!(e <= tol * top)) ok = false; // NaN fails too
        worst = std::max(worst, e);
    }
    if (!(top > 0)) ok = false;
    failures += !ok;
    printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", g, v, ok ? "true" : "false");
    fprintf(stderr, "%s/%s: error %.3g of %.6g\n", g, v, worst, top);
    fflush(stdout);
}
static int up_div(int a, int b) {
    return (a + b - 1) / b;
}

int main(int argc, char **argv) {
    checking = argc > 1 && !strcmp(argv[1], "check");

    { // conv5x5
        const int W = 1024, H = 512;
        float g1[5] = {1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f};
        Vec g5(25);
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 5; i++) g5[j * 5 + i] = g1[j] * g1[i];
        CK(cudaMemcpyToSymbol(c_gauss1, g1, sizeof g1));
        CK(cudaMemcpyToSymbol(c_gauss5, g5.data(), 25 * sizeof(float)));
        float *w = up(g5), *in = up(noise(W * H, 0, 255)), *out = room<float>(W * H);
        Out o = result(out, W * H);
        variant("conv5x5", "naive", 1e-5, o,
                [=] { conv_naive<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, w, W, H); });
        variant("conv5x5", "shared_const", 1e-5, o,
                [=] { conv_shared<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(in, out, W, H); });
        variant("conv5x5", "sep_fused", 1e-5, o,
                [=] { conv_sep_fused<<<dim3(W / 32, H / 32), dim3(32, 8)>>>(in, out, W, H); });
    }
    { // bilateral
        const int W = 320, H = 192;
        const float ss = 2.f, sr = 30.f;
        float sp[(2 * BR + 1) * (2 * BR + 1)];
        for (int j = -BR; j <= BR; j++)
            for (int i = -BR; i <= BR; i++)
                sp[(j + BR) * (2 * BR + 1) + i + BR] =
                    expf(-(float)(i * i + j * j) / (2 * ss * ss));
        CK(cudaMemcpyToSymbol(c_spatial, sp, sizeof sp));
        float *in = up(noise(W * H, 0, 255)), *out = room<float>(W * H);
        Out o = result(out, W * H);
        variant("bilateral", "naive", 1e-4, o, [=] {
            bilateral_naive<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, W, H, ss, sr);
        });
        variant("bilateral", "tile_lut", 1e-4, o, [=] {
            bilateral_tile<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, W, H,
                                                                   1.f / (2 * sr * sr));
        });
    }
    { // sobel
        const int W = 1536, H = 1024;
        unsigned char *in = up(bytes(W * H)), *out = room<unsigned char>(W * H);
        Out o = result(out, W * H);
        variant("sobel", "naive", 0, o,
                [=] { sobel_naive<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(in, out, W, H); });
        variant("sobel", "halo_tile", 0, o,
                [=] { sobel_halo<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, W, H); });
        variant("sobel", "quad", 0, o,
                [=] { sobel_quad<<<dim3(W / 128, H / 8), dim3(32, 8)>>>(in, out, W, H); });
    }
    { // integral image rows
        const int W = 1024, H = 1024;
        unsigned char *in = up(bytes(W * H));
        unsigned *out = room<unsigned>(W * H);
        Out o = result(out, W * H);
        variant("rowscan", "thread_per_row", 0, o,
                [=] { rowscan_thread<<<up_div(H, 64), 64>>>(in, out, W, H); });
        variant("rowscan", "hillis_steele", 0, o, [=] { rowscan_hillis<<<H, 1024>>>(in, out, W); });
        variant("rowscan", "warp_shuffle", 0, o, [=] { rowscan_shfl<<<H, 256>>>(in, out, W); });
    }
    { // rgb to yuv
        const int n = 1 << 21;
        unsigned char *in = up(bytes(3 * (size_t)n)), *out = room<unsigned char>(3 * (size_t)n);
        Out o = result(out, 3 * (size_t)n);
        variant("rgb2yuv", "bytes", 0, o, [=] { rgb2yuv_bytes<<<n / 256, 256>>>(in, out, n); });
        variant("rgb2yuv", "words", 0, o, [=] {
            rgb2yuv_words<<<n / 4 / 256, 256>>>((const unsigned *)in, (unsigned *)out, n / 4);
        });
    }
    { // dct
        const int W = 768, H = 512;
        float tab[64];
        for (int u = 0; u < 8; u++)
            for (int x = 0; x < 8; x++)
                tab[u * 8 + x] =
                    (float)((u ? 0.5 : std::sqrt(0.125)) * std::cos((2 * x + 1) * u * M_PI / 16));
        CK(cudaMemcpyToSymbol(c_dct, tab, sizeof tab));
        float *in = up(noise(W * H, -128, 127)), *out = room<float>(W * H);
        Out o = result(out, W * H);
        variant("dct8x8", "direct", 1e-5, o,
                [=] { dct_direct<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, W, H); });
        variant("dct8x8", "separable", 1e-5, o,
                [=] { dct_separable<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(in, out, W, H); });
    }
    { // median
        const int W = 640, H = 512;
        unsigned char *in = up(bytes(W * H)), *out = room<unsigned char>(W * H);
        Out o = result(out, W * H);
        variant("median3x3", "insertion_sort", 0, o,
                [=] { median_sort<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, W, H); });
        variant("median3x3", "network_tile", 0, o,
                [=] { median_network<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(in, out, W, H); });
    }
    { // affine warp
        const int W = 1024, H = 1024;
        Vec img(W * H);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                img[y * W + x] = 128.f + 60.f * std::sin(x * 0.05f) + 60.f * std::cos(y * 0.07f) +
                                 (float)(8 * rnd());
        float *in = up(img), *out = room<float>(W * H);
        cudaArray_t arr;
        cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
        CK(cudaMallocArray(&arr, &fmt, W, H));
        CK(cudaMemcpy2DToArray(arr, 0, 0, img.data(), W * sizeof(float), W * sizeof(float), H,
                               cudaMemcpyHostToDevice));
        cudaResourceDesc rd;
        memset(&rd, 0, sizeof rd);
        rd.resType = cudaResourceTypeArray;
        rd.res.array.array = arr;
        cudaTextureDesc td;
        memset(&td, 0, sizeof td);
        td.addressMode[0] = td.addressMode[1] = cudaAddressModeBorder;
        td.filterMode = cudaFilterModeLinear;
        td.readMode = cudaReadModeElementType;
        td.normalizedCoords = 0;
        cudaTextureObject_t tex;
        CK(cudaCreateTextureObject(&tex, &rd, &td, nullptr));
        float ca = std::cos(0.6f) * 0.9f, sa = std::sin(0.6f) * 0.9f;
        Affine m = {ca, -sa, W / 2 - ca * W / 2 + sa * H / 2,
                    sa, ca,  H / 2 - sa * W / 2 - ca * H / 2};
        Out o = result(out, W * H);
        // hardware weights have 8 fractional bits; at the border a whole texel (up to 256) is at stake
        variant("affine", "global", 2e-2, o,
                [=] { affine_global<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, W, H, m); });
        variant("affine", "texture", 2e-2, o,
                [=] { affine_texture<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(tex, out, W, H, m); });
    }
    { // binomial
        const int n = 192;
        float *S = up(noise(n, 80, 120)), *K = up(noise(n, 80, 120)), *V = up(noise(n, 0.15, 0.45));
        float *out = room<float>(n), *scratch = room<float>(n * (NST + 1));
        Out o = result(out, n);
        variant("binomial", "global_powf", 1e-3, o,
                [=] { binomial_global<<<n, NST + 1>>>(S, K, V, out, scratch); });
        variant("binomial", "shared", 1e-3, o,
                [=] { binomial_shared<<<n, NST + 1>>>(S, K, V, out); });
        variant("binomial", "warp_registers", 1e-3, o,
                [=] { binomial_warp<<<n / 2, 64>>>(S, K, V, out, n); });
    }
    { // Monte Carlo; the sum grows from call to call, which changes nothing else
        const int paths = 32768;
        const float S0 = 100, K = 100, r = 0.03f, sigma = 0.25f, T = 1, dt = T / MCSTEPS;
        float *sum = room<float>(1);
        Out o = result(sum, 1);
        variant("asian_mc", "philox_atomic", 2e-3, o,
                [=] { asian_atomic<<<paths / 256, 256>>>(sum, paths, S0, K, r, sigma, T); });
        variant("asian_mc", "philox4_block", 2e-3, o, [=] {
            asian_block<<<paths / 128, 128>>>(sum, paths, S0, K, (r - 0.5f * sigma * sigma) * dt,
                                              sigma * std::sqrt(dt), std::exp(-r * T));
        });
    }
    { // heat
        const int n = 128;
        float *u = up(noise(n * n * n, 0, 100)), *v = room<float>(n * n * n);
        Out o = result(v, n * n * n);
        variant("heat3d", "naive", 1e-5, o, [=] {
            heat_naive<<<dim3(n / 32, n / 4, n / 2), dim3(32, 4, 2)>>>(u, v, n, n, n, 0.1f);
        });
        variant("heat3d", "z_first", 1e-5, o, [=] {
            heat_zfirst<<<dim3(n / 8, n / 8, n / 4), dim3(8, 8, 4)>>>(u, v, n, n, n, 0.1f);
        });
        variant("heat3d", "march", 1e-5, o, [=] {
            heat_march<<<dim3(n / 32, n / 8, n / ZC), dim3(32, 8)>>>(u, v, n, n, n, 0.1f);
        });
    }
    { // lattice Boltzmann
        const int W = 512, H = 512, n = W * H;
        const float wq[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                             1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
        Vec aos(9 * n), soa(9 * n);
        for (int i = 0; i < n; i++)
            for (int q = 0; q < 9; q++)
                aos[i * 9 + q] = soa[q * n + i] = (float)(wq[q] * (0.9 + 0.2 * rnd()));
        float *fa = up(aos), *fs = up(soa), *ga = room<float>(9 * n), *gs = room<float>(9 * n);
        Out oa = result(ga, 9 * n), os = result(gs, 9 * n);
        os.get = [=] {
            Vec h = down(gs, 9 * n), t(9 * n);
            for (int i = 0; i < n; i++)
                for (int q = 0; q < 9; q++) t[i * 9 + q] = h[q * n + i];
            return t;
        };
        variant("lbm_d2q9", "aos", 1e-5, oa,
                [=] { lbm_aos<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(fa, ga, W, H, 1.2f); });
        variant("lbm_d2q9", "soa", 1e-5, os,
                [=] { lbm_soa<<<dim3(W / 128, H), 128>>>(fs, gs, W, H, 1.2f); });
    }
    { // N-body
        const int n = 1536;
        std::vector<Body> b(n);
        std::vector<float4> p(n);
        for (int i = 0; i < n; i++) {
            b[i] = {(float)rnd(), (float)rnd(), (float)rnd(), 0, 0, 0, (float)(0.5 + rnd())};
            p[i] = make_float4(b[i].x, b[i].y, b[i].z, b[i].m);
        }
        Body *db = up(b);
        float4 *dp = up(p);
        float *acc = room<float>(3 * n);
        Out o = result(acc, 3 * n);
        variant("nbody", "struct", 1e-4, o, [=] { nbody_struct<<<n / 128, 128>>>(db, acc, n); });
        variant("nbody", "tile", 1e-4, o, [=] { nbody_tile<<<n / 64, 64>>>(dp, acc, n); });
    }
    { // Lennard-Jones: a jittered lattice, periodic, lists with a skin
        const int NX = 32, NY = 32, NZ = 16, n = NX * NY * NZ;
        const float a = 1.1f, rc = 2.5f, skin = 0.2f;
        const float3 L = make_float3(NX * a, NY * a, NZ * a);
        Vec x(n), y(n), z(n);
        for (int i = 0; i < n; i++) {
            x[i] = (float)((i % NX + 0.2 * (rnd() - 0.5)) * a);
            y[i] = (float)((i / NX % NY + 0.2 * (rnd() - 0.5)) * a);
            z[i] = (float)((i / NX / NY + 0.2 * (rnd() - 0.5)) * a);
        }
        std::vector<int> cnt(n), nb(n * MAXNB), nbT(n * MAXNB);
        for (int i = 0; i < n; i++)
            for (int dz = -3; dz <= 3; dz++)
                for (int dy = -3; dy <= 3; dy++)
                    for (int dx = -3; dx <= 3; dx++) {
                        if (!dx && !dy && !dz) continue;
                        int jx = (i % NX + dx + NX) % NX, jy = (i / NX % NY + dy + NY) % NY,
                            jz = (i / NX / NY + dz + NZ) % NZ;
                        int j = (jz * NY + jy) * NX + jx;
                        float ex = x[i] - x[j], ey = y[i] - y[j], ez = z[i] - z[j];
                        ex -= L.x * std::rint(ex / L.x);
                        ey -= L.y * std::rint(ey / L.y);
                        ez -= L.z * std::rint(ez / L.z);
                        if (ex * ex + ey * ey + ez * ez < (rc + skin) * (rc + skin) &&
                            cnt[i] < MAXNB) {
                            nb[i * MAXNB + cnt[i]] = j;
                            nbT[cnt[i] * n + i] = j;
                            cnt[i]++;
                        }
                    }
        std::vector<float4> p(n);
        for (int i = 0; i < n; i++) p[i] = make_float4(x[i], y[i], z[i], 0);
        float *dx = up(x), *dy = up(y), *dz = up(z), *f = room<float>(3 * n);
        float4 *dp = up(p), *f4 = room<float4>(n);
        int *dc = up(cnt), *dn = up(nb), *dt = up(nbT);
        Out o = result(f, 3 * n), o4 = {[=] { CK(cudaMemset(f4, 0, n * sizeof(float4))); },
                                        [=] {
                                            std::vector<float4> h = down(f4, n);
                                            Vec t(3 * n);
                                            for (int i = 0; i < n; i++)
                                                t[i] = h[i].x, t[n + i] = h[i].y,
                                                t[2 * n + i] = h[i].z;
                                            return t;
                                        }};
        // a pair at the very cutoff may fall on either side: its force is about 0.04 of a maximum near 1e2
        variant("lj_neighbours", "rows", 2e-3, o, [=] {
            lj_rows<<<n / 256, 256>>>(dx, dy, dz, dc, dn, f, f + n, f + 2 * n, n, L.x, L.y, L.z,
                                      rc);
        });
        variant("lj_neighbours", "columns", 2e-3, o4, [=] {
            lj_columns<<<n / 128, 128>>>(dp, dc, dt, f4, n, L,
                                         make_float3(1 / L.x, 1 / L.y, 1 / L.z), rc * rc);
        });
    }
    { // fft
        const int batch = 256, n = batch * 1024;
        std::vector<float2> h(n), tw(1024);
        for (auto &v : h) v = make_float2((float)(rnd() - 0.5), (float)(rnd() - 0.5));
        for (int k = 0; k < 1024; k++)
            tw[k] = make_float2((float)std::cos(2 * M_PI * k / 1024),
                                (float)-std::sin(2 * M_PI * k / 1024));
        float2 *in = up(h), *out = room<float2>(n), *dtw = up(tw);
        Out o = result((float *)out, 2 * n);
        variant("fft1024", "radix2_sincos", 1e-4, o, [=] { fft_radix2<<<batch, 512>>>(in, out); });
        variant("fft1024", "radix4_table", 1e-4, o,
                [=] { fft_radix4<<<batch, 256>>>(in, out, dtw); });
    }
    { // tridiagonal
        const int nsys = 1536, n = nsys * TN;
        Vec a = noise(n, -1, 1), b = noise(n, 3, 5), c = noise(n, -1, 1), d = noise(n, -1, 1);
        for (int s = 0; s < nsys; s++) a[s * TN] = 0, c[s * TN + TN - 1] = 0;
        auto T = [=](const Vec &v) {
            Vec t(n);
            for (int s = 0; s < nsys; s++)
                for (int i = 0; i < TN; i++) t[i * nsys + s] = v[s * TN + i];
            return t;
        };
        float *da = up(a), *db = up(b), *dc = up(c), *dd = up(d), *ta = up(T(a)), *tb = up(T(b)),
              *tc = up(T(c)), *td = up(T(d));
        float *cp = room<float>(n), *x = room<float>(n), *xt = room<float>(n);
        Out o = result(x, n), ot = result(xt, n);
        ot.get = [=] {
            Vec h = down(xt, n), t(n);
            for (int s = 0; s < nsys; s++)
                for (int i = 0; i < TN; i++) t[s * TN + i] = h[i * nsys + s];
            return t;
        };
        variant("tridiag", "thomas_rows", 1e-4, o,
                [=] { thomas_rows<<<nsys / 64, 64>>>(da, db, dc, dd, cp, x, nsys); });
        variant("tridiag", "thomas_interleaved", 1e-4, ot,
                [=] { thomas_interleaved<<<nsys / 64, 64>>>(ta, tb, tc, td, cp, xt, nsys); });
        variant("tridiag", "pcr_block", 1e-4, o,
                [=] { pcr_block<<<nsys, TN>>>(da, db, dc, dd, x); });
    }
    { // cloud in cell; the grid grows from call to call, which changes nothing else
        const int n = 1 << 19, tiles = (GRD / TIL) * (GRD / TIL);
        Vec x = noise(n, 0, GRD - 0.001), y = noise(n, 0, GRD - 0.001), q = noise(n, 0.5, 1.5);
        std::vector<std::vector<float4>> bin(tiles);
        for (int i = 0; i < n; i++)
            bin[((int)y[i] / TIL) * (GRD / TIL) + (int)x[i] / TIL].push_back(
                make_float4(x[i], y[i], q[i], 0));
        std::vector<float4> s;
        std::vector<int> start(1, 0);
        for (auto &b : bin) {
            s.insert(s.end(), b.begin(), b.end());
            start.push_back((int)s.size());
        }
        float *dx = up(x), *dy = up(y), *dq = up(q), *grid = room<float>(GRD * GRD);
        float4 *ds = up(s);
        int *dst = up(start);
        Out o = result(grid, GRD * GRD);
        variant("cic_deposit", "global_atomics", 1e-4, o,
                [=] { cic_atomic<<<n / 256, 256>>>(dx, dy, dq, grid, n); });
        variant("cic_deposit", "sorted_tiles", 1e-4, o,
                [=] { cic_tiles<<<tiles, 256>>>(ds, dst, grid); });
    }
    if (checking && failures) return 1;
    return 0;
}
