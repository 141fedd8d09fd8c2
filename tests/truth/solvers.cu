// Imaging, finance and physics. 18 groups, 40 variants. "check" compares every variant with
// a CPU version where the group has one, else with the group's first variant.
#include "programs.h"
#include <cmath>
#include <cstdint>

// ------------------------------------------------------------------------------------- harness
typedef std::vector<double> VD;
static bool g_check = false;
static VD g_ref;                   // of the current group; empty: the first variant becomes it
struct Out {
    void *p;
    size_t bytes;
    std::function<VD()> get;
};
static uint32_t g_seed = 12345;
static void seed(uint32_t s) { g_seed = s * 2654435761u + 97u; }
static uint32_t rnd() {
    g_seed = g_seed * 1664525u + 1013904223u;
    uint32_t x = g_seed;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}
static float uni(float a, float b) { return a + (b - a) * (float)(rnd() >> 8) * (1.0f / 16777216.0f); }
static std::vector<float> rndv(size_t n, float a, float b) {
    std::vector<float> v(n);
    for (auto &x : v) x = uni(a, b);
    return v;
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
template <class T> static Out outs(T *p, size_t n) {
    return {p, n * sizeof(T), [=] {
                std::vector<T> h(n);
                CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
                return VD(h.begin(), h.end());
            }};
}
// ok when no more than bad * n values differ by more than atol + rtol * |reference|
static void go(const char *g, const char *v, std::function<void()> f, const Out &o, double rtol,
               double atol, double bad = 0) {
    if (!g_check) {
        bench(g, v, f);
        return;
    }
    CK(cudaMemset(o.p, 0, o.bytes));
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    VD r = o.get();
    bool first = g_ref.empty();
    if (first) g_ref = r;
    size_t wrong = r.size() == g_ref.size() ? 0 : r.size() + 1, nz = 0;
    double worst = 0;
    for (size_t i = 0; i < r.size() && i < g_ref.size(); i++) {
        double d = std::fabs(r[i] - g_ref[i]);
        if (!(d <= atol + rtol * std::fabs(g_ref[i]))) wrong++;
        if (d > worst) worst = d;
        if (r[i] != 0) nz++;
    }
    bool ok = wrong <= bad * r.size() && nz > 0;
    printf("{\"check\":\"%s/%s\",\"ok\":%s,\"worst\":%.4g,\"wrong\":%zu,\"of\":%zu,\"by\":\"%s\"}\n", g, v,
           ok ? "true" : "false", worst, wrong, r.size(), first ? "self" : "ref");
    fflush(stdout);
}
static bool begin(const char *g, uint32_t s) {
    g_ref.clear();
    seed(s);
    return wanted(g);
}

// ------------------------------------- 1. sepcol: the column pass of a separable 17-tap Gaussian
#define SR 8
__constant__ float c_gauss[2 * SR + 1];
__global__ void sepcol_naive(const float *in, float *out, const float *wgt, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0;
    for (int k = -SR; k <= SR; k++) {
        int yy = min(max(y + k, 0), h - 1);
        s += wgt[k + SR] * in[yy * w + x];
    }
    out[y * w + x] = s;
}
// 32 columns by 64 rows a block, with 8 rows of halo above and below
__global__ void sepcol_tile(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    __shared__ float t[64 + 2 * SR][32];
    int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 64;
    for (int r = threadIdx.y; r < 64 + 2 * SR; r += 8) {
        int yy = min(max(y0 + r - SR, 0), h - 1);
        t[r][threadIdx.x] = in[yy * w + x];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 64; r += 8) {
        float s = 0;
#pragma unroll
        for (int k = 0; k <= 2 * SR; k++) s += c_gauss[k] * t[r + k][threadIdx.x];
        out[(y0 + r) * w + x] = s;
    }
}
// a thread slides down 32 rows, the last 17 values in registers
__global__ void __launch_bounds__(128)
sepcol_roll(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 32;
    float v[2 * SR + 1];
#pragma unroll
    for (int k = 0; k < 2 * SR; k++) v[k] = in[min(max(y0 + k - SR, 0), h - 1) * w + x];
#pragma unroll
    for (int r = 0; r < 32; r++) {
        v[2 * SR] = in[min(y0 + r + SR, h - 1) * w + x];
        float s = 0;
#pragma unroll
        for (int k = 0; k <= 2 * SR; k++) s += c_gauss[k] * v[k];
        out[(y0 + r) * w + x] = s;
#pragma unroll
        for (int k = 0; k < 2 * SR; k++) v[k] = v[k + 1];
    }
}
static void group_sepcol() {
    const char *G = "sepcol";
    if (!begin(G, 1)) return;
    const int w = 1024, h = 1280;
    std::vector<float> a = rndv(w * h, 0, 255), wt(2 * SR + 1);
    float sum = 0;
    for (int k = 0; k <= 2 * SR; k++) sum += wt[k] = expf(-(k - SR) * (k - SR) / 24.0f);
    for (auto &v : wt) v /= sum;
    CK(cudaMemcpyToSymbol(c_gauss, wt.data(), sizeof(float) * wt.size()));
    float *in = up(a), *wd = up(wt), *out = room<float>(w * h);
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                double s = 0;
                for (int k = -SR; k <= SR; k++)
                    s += (double)wt[k + SR] * a[std::min(std::max(y + k, 0), h - 1) * w + x];
                g_ref[y * w + x] = s;
            }
    }
    Out o = outs(out, w * h);
    go(G, "naive", [=] { sepcol_naive<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(in, out, wd, w, h); }, o,
       1e-5, 1e-3);
    go(G, "tile", [=] { sepcol_tile<<<dim3(w / 32, h / 64), dim3(32, 8)>>>(in, out, w, h); }, o, 1e-5, 1e-3);
    go(G, "roll", [=] { sepcol_roll<<<dim3(w / 128, h / 32), 128>>>(in, out, w, h); }, o, 1e-5, 1e-3);
}

// -------------------------------------------------------------- 2. morph: dilation by a 7x7 square
__global__ void morph_naive(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int m = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx >= 0 && xx < w && yy >= 0 && yy < h) m = max(m, (int)in[yy * w + xx]);
        }
    out[y * w + x] = (unsigned char)m;
}
// rows then columns in shared memory, four pixels a word; 128 by 32 pixels a block
__global__ void morph_packed(const unsigned *__restrict__ in, unsigned *__restrict__ out, int wpr, int h) {
    __shared__ unsigned t[38][34], m[38][32];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    int id = threadIdx.y * 32 + threadIdx.x;
    for (int k = id; k < 38 * 34; k += 256) {
        int r = k / 34, c = k - r * 34;
        int x = x0 + c - 1, y = min(max(y0 + r - 3, 0), h - 1);
        t[r][c] = x >= 0 && x < wpr ? in[y * wpr + x] : 0;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 38; r += 8) {
        unsigned a = t[r][threadIdx.x], b = t[r][threadIdx.x + 1], c = t[r][threadIdx.x + 2];
        unsigned v = b;
#pragma unroll
        for (int k = 8; k <= 24; k += 8) {
            v = __vmaxu4(v, __funnelshift_r(b, c, k));
            v = __vmaxu4(v, __funnelshift_l(a, b, k));
        }
        m[r][threadIdx.x] = v;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        unsigned v = m[r][threadIdx.x];
#pragma unroll
        for (int k = 1; k < 7; k++) v = __vmaxu4(v, m[r + k][threadIdx.x]);
        out[(y0 + r) * wpr + x0 + threadIdx.x] = v;
    }
}
static void group_morph() {
    const char *G = "morph";
    if (!begin(G, 2)) return;
    const int w = 1024, h = 512;
    std::vector<unsigned char> a(w * h);
    for (auto &v : a) v = rnd() % 29 ? rnd() % 100 : rnd() & 255;
    unsigned char *in = up(a), *out = room<unsigned char>(w * h);
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                int m = 0;
                for (int yy = std::max(0, y - 3); yy <= std::min(h - 1, y + 3); yy++)
                    for (int xx = std::max(0, x - 3); xx <= std::min(w - 1, x + 3); xx++)
                        m = std::max(m, (int)a[yy * w + xx]);
                g_ref[y * w + x] = m;
            }
    }
    Out o = outs(out, w * h);
    go(G, "naive", [=] { morph_naive<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(in, out, w, h); }, o, 0, 0);
    go(G, "packed",
       [=] { morph_packed<<<dim3(w / 128, h / 32), dim3(32, 8)>>>((const unsigned *)in, (unsigned *)out, w / 4, h); },
       o, 0, 0);
}

// ------------------------------------------------------ 3. bicubic: Catmull-Rom upscaling, float
__device__ __forceinline__ float cubic_w(float d) {
    d = fabsf(d);
    if (d <= 1.0f) return (1.5f * d - 2.5f) * d * d + 1.0f;
    if (d < 2.0f) return ((-0.5f * d + 2.5f) * d - 4.0f) * d + 2.0f;
    return 0.0f;
}
__global__ void bicubic_naive(const float *in, float *out, int iw, int ih, int ow, int oh) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float fx = (x + 0.5f) * iw / ow - 0.5f, fy = (y + 0.5f) * ih / oh - 0.5f;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    float s = 0;
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            int xx = min(max(ix + i, 0), iw - 1), yy = min(max(iy + j, 0), ih - 1);
            s += in[yy * iw + xx] * cubic_w(fx - (ix + i)) * cubic_w(fy - (iy + j));
        }
    out[y * ow + x] = s;
}
// 32 by 32 outputs a block: weights once a row and column, source rows first stretched in x
__global__ void __launch_bounds__(256)
bicubic_sep(const float *__restrict__ in, float *__restrict__ out, int iw, int ih, int ow, int oh) {
    __shared__ float wx[4][32], wy[4][32], row[24][32];
    __shared__ int px[32], py[32];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    if (ty < 2) {
        int c = (ty ? y0 : x0) + tx;
        float f = ty ? (c + 0.5f) * ih / oh - 0.5f : (c + 0.5f) * iw / ow - 0.5f;
        int b = (int)floorf(f);
#pragma unroll
        for (int k = 0; k < 4; k++) (ty ? wy : wx)[k][tx] = cubic_w(f - (b + k - 1));
        (ty ? py : px)[tx] = b - 1;
    }
    __syncthreads();
    int r0 = py[0], nr = py[31] + 4 - r0;    // at most 20 for a scale of two
    int c0 = min(max(px[tx], 0), iw - 1), c1 = min(max(px[tx] + 1, 0), iw - 1);
    int c2 = min(max(px[tx] + 2, 0), iw - 1), c3 = min(px[tx] + 3, iw - 1);
    float a0 = wx[0][tx], a1 = wx[1][tx], a2 = wx[2][tx], a3 = wx[3][tx];
    for (int r = ty; r < nr; r += 8) {
        const float *p = in + min(max(r0 + r, 0), ih - 1) * iw;
        row[r][tx] = a0 * p[c0] + a1 * p[c1] + a2 * p[c2] + a3 * p[c3];
    }
    __syncthreads();
    for (int r = ty; r < 32; r += 8) {
        int b = py[r] - r0;
        out[(y0 + r) * ow + x0 + tx] =
            wy[0][r] * row[b][tx] + wy[1][r] * row[b + 1][tx] + wy[2][r] * row[b + 2][tx] + wy[3][r] * row[b + 3][tx];
    }
}
static void group_bicubic() {
    const char *G = "bicubic";
    if (!begin(G, 3)) return;
    const int iw = 600, ih = 336, ow = 1152, oh = 672;
    float *in = up(rndv(iw * ih, 0, 1)), *out = room<float>(ow * oh);
    Out o = outs(out, ow * oh);
    go(G, "naive", [=] { bicubic_naive<<<dim3(ow / 16, oh / 16), dim3(16, 16)>>>(in, out, iw, ih, ow, oh); }, o,
       1e-4, 1e-3);
    go(G, "separable", [=] { bicubic_sep<<<dim3(ow / 32, oh / 32), dim3(32, 8)>>>(in, out, iw, ih, ow, oh); }, o,
       1e-4, 1e-3);
}

// ------------------------------------------- 4. colour: packed RGB to packed YCbCr, 8-bit fixed point
__host__ __device__ __forceinline__ unsigned ycc(int r, int g, int b) {
    unsigned y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    unsigned u = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    unsigned v = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    return y | u << 8 | v << 16;
}
__device__ __forceinline__ void ycc4(unsigned &a, unsigned &b, unsigned &c) {
    unsigned p0 = ycc(a & 255, a >> 8 & 255, a >> 16 & 255);
    unsigned p1 = ycc(a >> 24, b & 255, b >> 8 & 255);
    unsigned p2 = ycc(b >> 16 & 255, b >> 24, c & 255);
    unsigned p3 = ycc(c >> 8 & 255, c >> 16 & 255, c >> 24);
    a = p0 | p1 << 24;
    b = p1 >> 8 | p2 << 16;
    c = p2 >> 16 | p3 << 8;
}
__global__ void colour_byte(const unsigned char *in, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned p = ycc(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
    out[3 * i] = p & 255;
    out[3 * i + 1] = p >> 8 & 255;
    out[3 * i + 2] = p >> 16;
}
__global__ void colour_word(const unsigned *__restrict__ in, unsigned *__restrict__ out, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    ycc4(a, b, c);
    out[3 * i] = a;
    out[3 * i + 1] = b;
    out[3 * i + 2] = c;
}
// 1024 pixels a block through shared memory, moved as 16-byte vectors
__global__ void __launch_bounds__(256) colour_stage(const uint4 *__restrict__ in, uint4 *__restrict__ out) {
    __shared__ uint4 t[192];
    int i = threadIdx.x;
    if (i < 192) t[i] = in[blockIdx.x * 192 + i];
    __syncthreads();
    unsigned *s = (unsigned *)t + 3 * i;
    unsigned a = s[0], b = s[1], c = s[2];
    ycc4(a, b, c);
    s[0] = a;
    s[1] = b;
    s[2] = c;
    __syncthreads();
    if (i < 192) out[blockIdx.x * 192 + i] = t[i];
}
static void group_colour() {
    const char *G = "colour";
    if (!begin(G, 4)) return;
    const int n = 1920 * 1080;
    std::vector<unsigned char> a(3 * n);
    for (auto &v : a) v = rnd() & 255;
    unsigned char *in = up(a), *out = room<unsigned char>(3 * n);
    if (g_check) {
        g_ref.assign(3 * n, 0);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) g_ref[3 * i + k] = ycc(a[3 * i], a[3 * i + 1], a[3 * i + 2]) >> 8 * k & 255;
    }
    Out o = outs(out, 3 * n);
    go(G, "byte", [=] { colour_byte<<<n / 256, 256>>>(in, out, n); }, o, 0, 0);
    go(G, "word", [=] { colour_word<<<n / 4 / 256 + 1, 256>>>((const unsigned *)in, (unsigned *)out, n / 4); }, o, 0, 0);
    go(G, "stage", [=] { colour_stage<<<n / 1024, 256>>>((const uint4 *)in, (uint4 *)out); }, o, 0, 0);
}

// ----------------------------------------- 5. integral: prefix sums down the columns of an image
__global__ void integral_thread(const unsigned *in, unsigned *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    unsigned s = 0;
    for (int y = 0; y < h; y++) {
        s += in[y * w + x];
        out[y * w + x] = s;
    }
}
// 32 columns a block; each of 32 warps keeps 32 rows in registers. For h == 1024
__global__ void __launch_bounds__(1024)
integral_strip(const unsigned *__restrict__ in, unsigned *__restrict__ out, int w) {
    __shared__ unsigned part[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y0 = threadIdx.y * 32;
    unsigned v[32], s = 0;
#pragma unroll
    for (int r = 0; r < 32; r++) v[r] = in[(y0 + r) * w + x];
#pragma unroll
    for (int r = 0; r < 32; r++) {
        s += v[r];
        v[r] = s;
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    // warp k scans column k over the 32 parts
    unsigned own = part[threadIdx.x][threadIdx.y], p = own;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        unsigned q = __shfl_up_sync(0xffffffffu, p, d);
        if (threadIdx.x >= d) p += q;
    }
    part[threadIdx.x][threadIdx.y] = p - own;
    __syncthreads();
    unsigned base = part[threadIdx.y][threadIdx.x];
#pragma unroll
    for (int r = 0; r < 32; r++) out[(y0 + r) * w + x] = v[r] + base;
}
static void group_integral() {
    const char *G = "integral";
    if (!begin(G, 5)) return;
    const int w = 2048, h = 1024;
    std::vector<unsigned> a(w * h);
    for (auto &v : a) v = rnd() & 255;
    unsigned *in = up(a), *out = room<unsigned>(w * h);
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int i = 0; i < w * h; i++) g_ref[i] = a[i] + (i >= w ? g_ref[i - w] : 0);
    }
    Out o = outs(out, w * h);
    go(G, "thread", [=] { integral_thread<<<w / 64, 64>>>(in, out, w, h); }, o, 0, 0);
    go(G, "strip", [=] { integral_strip<<<w / 32, dim3(32, 32)>>>(in, out, w); }, o, 0, 0);
}

// ------------------------------------------------ 6. bs: European call, put and delta, closed form
struct Opt {
    float s, k, t;
};
__global__ void bs_double(const Opt *o, float *call, float *put, float *delta, float r, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double S = o[i].s, K = o[i].k, T = o[i].t;
    double sq = sqrt(T);
    double d1 = (log(S / K) + (r + 0.5 * v * v) * T) / (v * sq);
    double d2 = d1 - v * sq;
    double n1 = 0.5 * erfc(-d1 / sqrt(2.0)), n2 = 0.5 * erfc(-d2 / sqrt(2.0));
    double e = K * exp(-r * T);
    call[i] = S * n1 - e * n2;
    put[i] = e * (1.0 - n2) - S * (1.0 - n1);
    delta[i] = n1;
}
__global__ void bs_float(const float *S_, const float *K_, const float *T_, float *call, float *put, float *delta,
                         float r, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float S = S_[i], K = K_[i], T = T_[i];
    float sq = sqrtf(T);
    float d1 = (logf(S / K) + (r + 0.5f * v * v) * T) / (v * sq);
    float d2 = d1 - v * sq;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f);
    float e = K * expf(-r * T);
    call[i] = S * n1 - e * n2;
    put[i] = e * (1.0f - n2) - S * (1.0f - n1);
    delta[i] = n1;
}
__device__ __forceinline__ float cnd_poly(float d) {
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
__global__ void __launch_bounds__(128)
bs_fast4(const float4 *__restrict__ S_, const float4 *__restrict__ K_, const float4 *__restrict__ T_,
         float4 *__restrict__ call, float4 *__restrict__ put, float4 *__restrict__ delta, float r, float v) {
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 S4 = S_[i], K4 = K_[i], T4 = T_[i];
    float S[4] = {S4.x, S4.y, S4.z, S4.w}, K[4] = {K4.x, K4.y, K4.z, K4.w}, T[4] = {T4.x, T4.y, T4.z, T4.w};
    float c[4], p[4], dl[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float rs = rsqrtf(T[k]), sq = T[k] * rs;
        float d1 = (__logf(__fdividef(S[k], K[k])) + (r + 0.5f * v * v) * T[k]) * __fdividef(rs, v);
        float n1 = cnd_poly(d1), n2 = cnd_poly(d1 - v * sq);
        float e = K[k] * __expf(-r * T[k]);
        c[k] = S[k] * n1 - e * n2;
        p[k] = c[k] + e - S[k];
        dl[k] = n1;
    }
    call[i] = make_float4(c[0], c[1], c[2], c[3]);
    put[i] = make_float4(p[0], p[1], p[2], p[3]);
    delta[i] = make_float4(dl[0], dl[1], dl[2], dl[3]);
}
static void group_bs() {
    const char *G = "bs";
    if (!begin(G, 6)) return;
    const int n = 1 << 19;
    std::vector<float> s = rndv(n, 5, 30), k = rndv(n, 5, 40), t = rndv(n, 0.25f, 5);
    std::vector<Opt> a(n);
    for (int i = 0; i < n; i++) a[i] = {s[i], k[i], t[i]};
    Opt *od = up(a);
    float *S = up(s), *K = up(k), *T = up(t), *out = room<float>(3 * n);
    const float r = 0.02f, v = 0.3f;
    Out o = outs(out, 3 * n);
    float *c = out, *p = out + n, *d = out + 2 * n;
    go(G, "aos_double", [=] { bs_double<<<n / 256, 256>>>(od, c, p, d, r, v, n); }, o, 1e-4, 2e-3);
    go(G, "float", [=] { bs_float<<<n / 256, 256>>>(S, K, T, c, p, d, r, v, n); }, o, 1e-4, 2e-3);
    go(G, "fast4",
       [=] {
           bs_fast4<<<n / 4 / 128, 128>>>((const float4 *)S, (const float4 *)K, (const float4 *)T, (float4 *)c,
                                          (float4 *)p, (float4 *)d, r, v);
       },
       o, 1e-4, 2e-3);
}

// ------------------------------ 7. mc: Asian call, 32 steps a path, Philox4x32-10 numbered by step
__device__ __forceinline__ uint4 philox(unsigned c0, unsigned c1, unsigned k0, unsigned k1) {
    uint4 c = make_uint4(c0, c1, 0x1234u, 0u);
#pragma unroll
    for (int i = 0; i < 10; i++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}
__device__ __forceinline__ float to01(unsigned x) { return (x >> 8) * 5.9604645e-8f + 2.9802322e-8f; }
__global__ void mc_path(float *pay, float S0, float K, float drift, float vol, float disc) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float S = S0, sum = 0;
    for (int b = 0; b < 8; b++) {
        uint4 u = philox(p, b, 42u, 7u);
        float z[4], sn, cs;
        float r = sqrtf(-2.0f * logf(to01(u.x)));
        sincosf(6.2831853f * to01(u.y), &sn, &cs);
        z[0] = r * cs;
        z[1] = r * sn;
        r = sqrtf(-2.0f * logf(to01(u.z)));
        sincosf(6.2831853f * to01(u.w), &sn, &cs);
        z[2] = r * cs;
        z[3] = r * sn;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            S *= expf(drift + vol * z[k]);
            sum += S;
        }
    }
    pay[p] = disc * fmaxf(sum / 32.0f - K, 0.0f);
}
// four lanes share a path, eight steps each: the logarithms are added across the lanes
__global__ void __launch_bounds__(256)
mc_quad(float *pay, float S0, float K, float drift, float vol, float disc) {
    int g = blockIdx.x * 256 + threadIdx.x, p = g >> 2, q = g & 3;
    float l[8], acc = 0;
#pragma unroll
    for (int b = 0; b < 2; b++) {
        uint4 u = philox(p, 2 * q + b, 42u, 7u);
        float sn, cs, r = vol * sqrtf(fmaxf(-2.0f * __logf(to01(u.x)), 0.0f));
        __sincosf(6.2831853f * to01(u.y), &sn, &cs);
        l[4 * b] = acc += drift + r * cs;
        l[4 * b + 1] = acc += drift + r * sn;
        r = vol * sqrtf(fmaxf(-2.0f * __logf(to01(u.z)), 0.0f));
        __sincosf(6.2831853f * to01(u.w), &sn, &cs);
        l[4 * b + 2] = acc += drift + r * cs;
        l[4 * b + 3] = acc += drift + r * sn;
    }
    float pre = acc, t = __shfl_up_sync(0xffffffffu, pre, 1, 4);
    if (q >= 1) pre += t;
    t = __shfl_up_sync(0xffffffffu, pre, 2, 4);
    if (q >= 2) pre += t;
    pre -= acc;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) s += __expf(pre + l[k]);
    s += __shfl_xor_sync(0xffffffffu, s, 1);
    s += __shfl_xor_sync(0xffffffffu, s, 2);
    if (q == 0) pay[p] = disc * fmaxf(S0 * s / 32.0f - K, 0.0f);
}
static void group_mc() {
    const char *G = "mc";
    if (!begin(G, 7)) return;
    const int n = 32768;
    float *pay = room<float>(n);
    const float dt = 1.0f / 32, v = 0.25f, r = 0.03f;
    const float drift = (r - 0.5f * v * v) * dt, vol = v * sqrtf(dt), disc = expf(-r);
    Out o = outs(pay, n);
    go(G, "path", [=] { mc_path<<<n / 128, 128>>>(pay, 100.0f, 98.0f, drift, vol, disc); }, o, 1e-3, 1e-2);
    go(G, "quad", [=] { mc_quad<<<n / 64, 256>>>(pay, 100.0f, 98.0f, drift, vol, disc); }, o, 1e-3, 1e-2);
}

// ----------------------------------------------- 8. binomial: American put, a tree of 191 steps
#define BST 191
__global__ void binomial_block(const float *S_, const float *K_, const float *T_, float *out, float r, float v) {
    __shared__ float val[BST + 1];
    int t = threadIdx.x, o = blockIdx.x;
    float S = S_[o], K = K_[o], dt = T_[o] / BST, vs = v * sqrtf(dt);
    float u = expf(vs), d = 1.0f / u, g = expf(r * dt), pu = (g - d) / (u - d), df = expf(-r * dt);
    val[t] = fmaxf(K - S * expf(vs * (2 * t - BST)), 0.0f);
    __syncthreads();
    for (int i = BST - 1; i >= 0; i--) {
        float x = 0;
        if (t <= i) {
            x = df * (pu * val[t + 1] + (1.0f - pu) * val[t]);
            x = fmaxf(x, K - S * expf(vs * (2 * t - i)));
        }
        __syncthreads();
        if (t <= i) val[t] = x;
        __syncthreads();
    }
    if (t == 0) out[o] = val[0];
}
// a warp an option, six neighbouring nodes a lane
__global__ void __launch_bounds__(32)
binomial_warp(const float *S_, const float *K_, const float *T_, float *out, float r, float v) {
    int lane = threadIdx.x, o = blockIdx.x;
    float S = S_[o], K = K_[o], dt = T_[o] / BST, vs = v * sqrtf(dt);
    float u = expf(vs), d = 1.0f / u, g = expf(r * dt), pu = (g - d) / (u - d), df = expf(-r * dt);
    float a = df * pu, b = df * (1.0f - pu);
    float x[6], p[6];
#pragma unroll
    for (int k = 0; k < 6; k++) {
        p[k] = S * expf(vs * (2 * (lane * 6 + k) - BST));
        x[k] = fmaxf(K - p[k], 0.0f);
    }
    for (int i = BST - 1; i >= 0; i--) {
        float nx = __shfl_down_sync(0xffffffffu, x[0], 1);
#pragma unroll
        for (int k = 0; k < 6; k++) {
            p[k] *= u;
            float hi = k < 5 ? x[k < 5 ? k + 1 : 5] : nx;
            x[k] = fmaxf(a * hi + b * x[k], K - p[k]);
        }
    }
    if (lane == 0) out[o] = x[0];
}
static void group_binomial() {
    const char *G = "binomial";
    if (!begin(G, 8)) return;
    const int n = 128;
    float *S = up(rndv(n, 80, 120)), *K = up(rndv(n, 80, 120)), *T = up(rndv(n, 0.5f, 2)), *out = room<float>(n);
    Out o = outs(out, n);
    go(G, "block", [=] { binomial_block<<<n, BST + 1>>>(S, K, T, out, 0.04f, 0.3f); }, o, 1e-3, 5e-3);
    go(G, "warp", [=] { binomial_warp<<<n, 32>>>(S, K, T, out, 0.04f, 0.3f); }, o, 1e-3, 5e-3);
}

// ----------------------------------------- 9. heat3d: one explicit step, seven points, fixed border
__global__ void heat_cube(const float *in, float *out, int nx, int ny, int nz, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    int i = (z * ny + y) * nx + x;
    float c = in[i];
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        c = c + k * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6.0f * c);
    out[i] = c;
}
// marches along z through 40 planes, x and y neighbours in shared memory
__global__ void __launch_bounds__(256)
heat_plane(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float k) {
    __shared__ float t[10][34];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty, z0 = blockIdx.z * 40, pl = nx * ny;
    bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    int i = (z0 * ny + y) * nx + x;
    float below = z0 > 0 ? in[i - pl] : 0.0f, c = in[i];
    for (int z = z0; z < z0 + 40; z++, i += pl) {
        float above = z < nz - 1 ? in[i + pl] : 0.0f;
        t[ty + 1][tx + 1] = c;
        if (tx == 0 && x > 0) t[ty + 1][0] = in[i - 1];
        if (tx == 31 && x < nx - 1) t[ty + 1][33] = in[i + 1];
        if (ty == 0 && y > 0) t[0][tx + 1] = in[i - nx];
        if (ty == 7 && y < ny - 1) t[9][tx + 1] = in[i + nx];
        __syncthreads();
        float r = c;
        if (inner && z > 0 && z < nz - 1)
            r = c + k * (t[ty + 1][tx] + t[ty + 1][tx + 2] + t[ty][tx + 1] + t[ty + 2][tx + 1] + below + above -
                         6.0f * c);
        out[i] = r;
        below = c;
        c = above;
        __syncthreads();
    }
}
// whole rows of 128 a block, eight planes a thread, no shared memory
__global__ void __launch_bounds__(256)
heat_column(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float k) {
    int x = threadIdx.x, y = blockIdx.x * 2 + threadIdx.y, z0 = blockIdx.y * 8, pl = nx * ny;
    bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    int i = (z0 * ny + y) * nx + x;
    float below = z0 > 0 ? in[i - pl] : 0.0f, c = in[i];
#pragma unroll 4
    for (int z = z0; z < z0 + 8; z++, i += pl) {
        float above = z < nz - 1 ? in[i + pl] : 0.0f, r = c;
        if (inner && z > 0 && z < nz - 1)
            r = c + k * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above - 6.0f * c);
        out[i] = r;
        below = c;
        c = above;
    }
}
static void group_heat() {
    const char *G = "heat3d";
    if (!begin(G, 9)) return;
    const int nx = 128, ny = 128, nz = 160, n = nx * ny * nz, pl = nx * ny;
    const float k = 0.11f;
    std::vector<float> a = rndv(n, 0, 100);
    float *in = up(a), *out = room<float>(n);
    if (g_check) {
        g_ref.assign(a.begin(), a.end());
        for (int z = 1; z < nz - 1; z++)
            for (int y = 1; y < ny - 1; y++)
                for (int x = 1; x < nx - 1; x++) {
                    int i = z * pl + y * nx + x;
                    g_ref[i] = a[i] + (double)k * ((double)a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - pl] +
                                                   a[i + pl] - 6.0 * a[i]);
                }
    }
    Out o = outs(out, n);
    go(G, "cube", [=] { heat_cube<<<dim3(nx / 8, ny / 8, nz / 8), dim3(8, 8, 8)>>>(in, out, nx, ny, nz, k); }, o,
       1e-5, 1e-3);
    go(G, "plane", [=] { heat_plane<<<dim3(nx / 32, ny / 8, nz / 40), dim3(32, 8)>>>(in, out, nx, ny, nz, k); }, o,
       1e-5, 1e-3);
    go(G, "column", [=] { heat_column<<<dim3(ny / 2, nz / 8), dim3(128, 2)>>>(in, out, nx, ny, nz, k); }, o, 1e-5,
       1e-3);
}

// --------------------------------------------- 10. nbody: accelerations of 2048 bodies, all pairs
__global__ void nbody_direct(const float *x, const float *y, const float *z, const float *m, float *ax, float *ay,
                             float *az, int n, float eps2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = x[i], py = y[i], pz = z[i], sx = 0, sy = 0, sz = 0;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
        float r2 = dx * dx + dy * dy + dz * dz + eps2;
        float w = rsqrtf(r2);
        w = m[j] * w * w * w;
        sx += dx * w;
        sy += dy * w;
        sz += dz * w;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
}
// 32 bodies a block; 16 warps take a sixteenth of the sources each, all sources in shared memory
#define NB 2048
__global__ void __launch_bounds__(512)
nbody_split(const float4 *__restrict__ p, float *__restrict__ ax, float *__restrict__ ay, float *__restrict__ az,
            float eps2) {
    __shared__ float4 s[NB];
    __shared__ float red[3][16][32];
    int id = threadIdx.y * 32 + threadIdx.x, i = blockIdx.x * 32 + threadIdx.x;
    for (int k = id; k < NB; k += 512) s[k] = p[k];
    __syncthreads();
    float4 c = s[i];
    float sx = 0, sy = 0, sz = 0;
    int j0 = threadIdx.y * (NB / 16);
#pragma unroll 8
    for (int j = j0; j < j0 + NB / 16; j++) {
        float4 q = s[j];
        float dx = q.x - c.x, dy = q.y - c.y, dz = q.z - c.z;
        float w = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
        w = q.w * w * w * w;
        sx += dx * w;
        sy += dy * w;
        sz += dz * w;
    }
    red[0][threadIdx.y][threadIdx.x] = sx;
    red[1][threadIdx.y][threadIdx.x] = sy;
    red[2][threadIdx.y][threadIdx.x] = sz;
    __syncthreads();
    if (threadIdx.y < 3) {
        float t = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) t += red[threadIdx.y][k][threadIdx.x];
        (threadIdx.y == 0 ? ax : threadIdx.y == 1 ? ay : az)[i] = t;
    }
}
static void group_nbody() {
    const char *G = "nbody";
    if (!begin(G, 10)) return;
    const int n = NB;
    const float e2 = 0.01f;
    std::vector<float> x = rndv(n, -1, 1), y = rndv(n, -1, 1), z = rndv(n, -1, 1), m = rndv(n, 0.5f, 1.5f);
    std::vector<float4> p(n);
    for (int i = 0; i < n; i++) p[i] = make_float4(x[i], y[i], z[i], m[i]);
    float *xd = up(x), *yd = up(y), *zd = up(z), *md = up(m), *out = room<float>(3 * n);
    float4 *pd = up(p);
    if (g_check) {
        g_ref.assign(3 * n, 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double dx = (double)x[j] - x[i], dy = (double)y[j] - y[i], dz = (double)z[j] - z[i];
                double w = m[j] * pow(dx * dx + dy * dy + dz * dz + e2, -1.5);
                g_ref[i] += dx * w;
                g_ref[n + i] += dy * w;
                g_ref[2 * n + i] += dz * w;
            }
    }
    Out o = outs(out, 3 * n);
    go(G, "direct", [=] { nbody_direct<<<n / 256, 256>>>(xd, yd, zd, md, out, out + n, out + 2 * n, n, e2); }, o,
       1e-3, 0.1);
    go(G, "split", [=] { nbody_split<<<n / 32, dim3(32, 16)>>>(pd, out, out + n, out + 2 * n, e2); }, o, 1e-3, 0.1);
}

// -------------------------------- 11. md: Lennard-Jones forces and energies with 16^3 cells of 1.0
#define MC 16
__device__ __forceinline__ void lj(float dx, float dy, float dz, float4 &f) {
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < 1.0f) {
        float i2 = 1.0f / r2, s2 = 0.25f * i2, s6 = s2 * s2 * s2;    // sigma 0.5
        float w = 24.0f * s6 * (2.0f * s6 - 1.0f) * i2;
        f.x += w * dx;
        f.y += w * dy;
        f.z += w * dz;
        f.w += 2.0f * s6 * (s6 - 1.0f);
    }
}
__global__ void md_linked(const float *x, const float *y, const float *z, const int *head, const int *next,
                          float4 *force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = x[i], py = y[i], pz = z[i];
    int cx = (int)px, cy = (int)py, cz = (int)pz;
    float4 f = make_float4(0, 0, 0, 0);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int c = ((cz + dz + MC) % MC * MC + (cy + dy + MC) % MC) * MC + (cx + dx + MC) % MC;
                for (int j = head[c]; j >= 0; j = next[j]) {
                    if (j == i) continue;
                    float ex = px - x[j], ey = py - y[j], ez = pz - z[j];
                    ex -= MC * rintf(ex / MC);
                    ey -= MC * rintf(ey / MC);
                    ez -= MC * rintf(ez / MC);
                    lj(ex, ey, ez, f);
                }
            }
    force[i] = f;
}
// a warp a cell: the 27 cells around are gathered into shared memory, eight particles against four slices
__global__ void __launch_bounds__(128)
md_warpcell(const float4 *__restrict__ sp, const int *__restrict__ start, const int *__restrict__ id,
            float4 *__restrict__ force) {
    __shared__ float4 list[4][27 * 8];
    int lane = threadIdx.x & 31, wp = threadIdx.x >> 5, cell = blockIdx.x * 4 + wp;
    int s = 0, cnt = 0;
    float shx = 0, shy = 0, shz = 0;
    if (lane < 27) {
        int x = cell % MC + lane % 3 - 1, y = cell / MC % MC + lane / 3 % 3 - 1, z = cell / (MC * MC) + lane / 9 - 1;
        shx = x < 0 ? -MC : x >= MC ? MC : 0;
        shy = y < 0 ? -MC : y >= MC ? MC : 0;
        shz = z < 0 ? -MC : z >= MC ? MC : 0;
        int c = ((z & (MC - 1)) * MC + (y & (MC - 1))) * MC + (x & (MC - 1));
        s = start[c];
        cnt = start[c + 1] - s;
    }
    int off = cnt;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int t = __shfl_up_sync(0xffffffffu, off, d);
        if (lane >= d) off += t;
    }
    int total = __shfl_sync(0xffffffffu, off, 31);
    off -= cnt;
    for (int k = 0; k < cnt; k++) {
        float4 q = sp[s + k];
        list[wp][off + k] = make_float4(q.x + shx, q.y + shy, q.z + shz, (float)(s + k));
    }
    __syncwarp();
    int s0 = __shfl_sync(0xffffffffu, s, 13), n0 = __shfl_sync(0xffffffffu, cnt, 13);
    for (int b = 0; b < n0; b += 8) {
        int i = b + (lane & 7);
        float4 p = sp[s0 + min(i, n0 - 1)], f = make_float4(0, 0, 0, 0);
        float self = (float)(s0 + min(i, n0 - 1));
        for (int j = lane >> 3; j < total; j += 4) {
            float4 q = list[wp][j];
            if (q.w != self) lj(p.x - q.x, p.y - q.y, p.z - q.z, f);
        }
#pragma unroll
        for (int d = 8; d < 32; d <<= 1) {
            f.x += __shfl_xor_sync(0xffffffffu, f.x, d);
            f.y += __shfl_xor_sync(0xffffffffu, f.y, d);
            f.z += __shfl_xor_sync(0xffffffffu, f.z, d);
            f.w += __shfl_xor_sync(0xffffffffu, f.w, d);
        }
        if (lane < 8 && i < n0) force[id[s0 + i]] = f;
    }
}
static void group_md() {
    const char *G = "md";
    if (!begin(G, 11)) return;
    const int side = 24, n = side * side * side, nc = MC * MC * MC;
    std::vector<int> perm(n), head(nc, -1), next(n), start(nc + 1, 0), id(n), cell(n);
    for (int i = 0; i < n; i++) perm[i] = i;
    for (int i = n - 1; i > 0; i--) std::swap(perm[i], perm[rnd() % (i + 1)]);
    std::vector<float> x(n), y(n), z(n);
    const float a = (float)MC / side;
    for (int k = 0; k < n; k++) {    // a jittered lattice, its particles in random order
        int i = perm[k];
        x[i] = (k % side + 0.5f + uni(-0.15f, 0.15f)) * a;
        y[i] = (k / side % side + 0.5f + uni(-0.15f, 0.15f)) * a;
        z[i] = (k / side / side + 0.5f + uni(-0.15f, 0.15f)) * a;
    }
    for (int i = 0; i < n; i++) {
        cell[i] = ((int)z[i] * MC + (int)y[i]) * MC + (int)x[i];
        next[i] = head[cell[i]];
        head[cell[i]] = i;
        start[cell[i] + 1]++;
    }
    for (int c = 0; c < nc; c++) {
        if (start[c + 1] > 8) {
            printf("{\"error\":\"md: a cell holds %d\"}\n", start[c + 1]);
            exit(1);
        }
        start[c + 1] += start[c];
    }
    std::vector<int> at(start.begin(), start.end() - 1);
    std::vector<float4> sp(n);
    for (int i = 0; i < n; i++) {
        int k = at[cell[i]]++;
        sp[k] = make_float4(x[i], y[i], z[i], 0);
        id[k] = i;
    }
    float *xd = up(x), *yd = up(y), *zd = up(z), *out = room<float>(4 * n);
    int *hd = up(head), *nd = up(next), *sd = up(start), *idd = up(id);
    float4 *spd = up(sp);
    Out o = outs(out, 4 * n);
    go(G, "linked", [=] { md_linked<<<n / 128, 128>>>(xd, yd, zd, hd, nd, (float4 *)out, n); }, o, 2e-3, 2e-2, 1e-3);
    go(G, "warpcell", [=] { md_warpcell<<<nc / 4, 128>>>(spd, sd, idd, (float4 *)out); }, o, 2e-3, 2e-2, 1e-3);
}

// ------------------------------- 12. lbm: D3Q19, BGK, pull, periodic; structures and arrays of them
#define LX 64
#define LY 64
#define LZ 48
#define LN (LX * LY * LZ)
#define LBM_TABLES                                                                                 \
    constexpr int CX[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};         \
    constexpr int CY[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};         \
    constexpr int CZ[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
__device__ __forceinline__ void lbm_collide(float (&f)[19], float om) {
    LBM_TABLES
    float rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
    for (int i = 0; i < 19; i++) {
        rho += f[i];
        ux += CX[i] * f[i];
        uy += CY[i] * f[i];
        uz += CZ[i] * f[i];
    }
    float inv = 1.0f / rho;
    ux *= inv;
    uy *= inv;
    uz *= inv;
    float uu = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int i = 0; i < 19; i++) {
        float w = i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36;
        float cu = 3.0f * (CX[i] * ux + CY[i] * uy + CZ[i] * uz);
        f[i] += om * (w * rho * (uu + cu + 0.5f * cu * cu) - f[i]);
    }
}
__global__ void lbm_aos(const float *in, float *out, float om) {
    LBM_TABLES
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int x = n % LX, y = n / LX % LY, z = n / (LX * LY);
    float f[19];
#pragma unroll
    for (int i = 0; i < 19; i++) {
        int xs = (x - CX[i] + LX) % LX, ys = (y - CY[i] + LY) % LY, zs = (z - CZ[i] + LZ) % LZ;
        f[i] = in[((zs * LY + ys) * LX + xs) * 19 + i];
    }
    lbm_collide(f, om);
#pragma unroll
    for (int i = 0; i < 19; i++) out[n * 19 + i] = f[i];
}
__global__ void __launch_bounds__(128) lbm_soa(const float *__restrict__ in, float *__restrict__ out, float om) {
    LBM_TABLES
    int x = threadIdx.x, y = blockIdx.x * 2 + threadIdx.y, z = blockIdx.y;
    int xm = x == 0 ? LX - 1 : x - 1, xp = x == LX - 1 ? 0 : x + 1;
    int ym = y == 0 ? LY - 1 : y - 1, yp = y == LY - 1 ? 0 : y + 1;
    int zm = z == 0 ? LZ - 1 : z - 1, zp = z == LZ - 1 ? 0 : z + 1;
    int n = (z * LY + y) * LX + x;
    float f[19];
#pragma unroll
    for (int i = 0; i < 19; i++) {
        int xs = CX[i] == 0 ? x : CX[i] > 0 ? xm : xp;
        int ys = CY[i] == 0 ? y : CY[i] > 0 ? ym : yp;
        int zs = CZ[i] == 0 ? z : CZ[i] > 0 ? zm : zp;
        f[i] = in[i * LN + (zs * LY + ys) * LX + xs];
    }
    lbm_collide(f, om);
#pragma unroll
    for (int i = 0; i < 19; i++) out[i * LN + n] = f[i];
}
static void group_lbm() {
    const char *G = "lbm";
    if (!begin(G, 12)) return;
    std::vector<float> a(19 * LN), s(19 * LN);
    for (int n = 0; n < LN; n++)
        for (int i = 0; i < 19; i++) {
            float w = i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36;
            s[i * LN + n] = a[n * 19 + i] = w * uni(0.9f, 1.1f);
        }
    float *ad = up(a), *sd = up(s), *out = room<float>(19 * LN);
    Out o = outs(out, 19 * LN), t = o;
    t.get = [=] {    // to the other layout
        VD r = o.get(), q(r.size());
        for (int n = 0; n < LN; n++)
            for (int i = 0; i < 19; i++) q[n * 19 + i] = r[i * LN + n];
        return q;
    };
    go(G, "aos", [=] { lbm_aos<<<LN / 128, 128>>>(ad, out, 1.2f); }, o, 1e-4, 1e-6);
    go(G, "soa", [=] { lbm_soa<<<dim3(LY / 2, LZ), dim3(LX, 2)>>>(sd, out, 1.2f); }, t, 1e-4, 1e-6);
}

// ---------------------------------------- 13. fft: 512 transforms of 1024 points in shared memory
__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__global__ void fft_radix2(const float2 *in, float2 *out) {
    __shared__ float2 s[1024];
    int j = threadIdx.x;
    in += blockIdx.x * 1024;
    out += blockIdx.x * 1024;
    s[j] = in[j];
    s[j + 512] = in[j + 512];
    __syncthreads();
    for (int ns = 1; ns < 1024; ns *= 2) {
        int k = j & (ns - 1);
        float sn, cs;
        sincospif(-(float)k / ns, &sn, &cs);
        float2 a = s[j], b = cmul(s[j + 512], make_float2(cs, sn));
        __syncthreads();
        int d = 2 * (j - k) + k;
        s[d] = make_float2(a.x + b.x, a.y + b.y);
        s[d + ns] = make_float2(a.x - b.x, a.y - b.y);
        __syncthreads();
    }
    out[j] = s[j];
    out[j + 512] = s[j + 512];
}
__global__ void __launch_bounds__(256)
fft_radix4(const float2 *__restrict__ in, float2 *__restrict__ out, const float2 *__restrict__ tw) {
    __shared__ float2 s[1024];
    int j = threadIdx.x;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = in[blockIdx.x * 1024 + j + 256 * r];
#pragma unroll
    for (int ns = 1; ns < 1024; ns *= 4) {
        int k = j & (ns - 1);
        if (ns > 1) {
            __syncthreads();    // the writes of the last pass
#pragma unroll
            for (int r = 0; r < 4; r++) v[r] = s[j + 256 * r];
#pragma unroll
            for (int r = 1; r < 4; r++) v[r] = cmul(v[r], tw[k * r * (256 / ns)]);
            __syncthreads();    // all have read
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].x - v[3].x, v[1].y - v[3].y);
        v[0] = make_float2(a.x + c.x, a.y + c.y);
        v[1] = make_float2(b.x + d.y, b.y - d.x);
        v[2] = make_float2(a.x - c.x, a.y - c.y);
        v[3] = make_float2(b.x - d.y, b.y + d.x);
        if (ns < 256) {
            int e = 4 * (j - k) + k;
#pragma unroll
            for (int r = 0; r < 4; r++) s[e + r * ns] = v[r];
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) out[blockIdx.x * 1024 + j + 256 * r] = v[r];
}
static void host_fft(const double *in, int stride, int n, double *out) {    // pairs re, im
    if (n == 1) {
        out[0] = in[0];
        out[1] = in[1];
        return;
    }
    VD e(n), o(n);
    host_fft(in, 2 * stride, n / 2, e.data());
    host_fft(in + 2 * stride, 2 * stride, n / 2, o.data());
    for (int k = 0; k < n / 2; k++) {
        double c = cos(-2 * M_PI * k / n), s = sin(-2 * M_PI * k / n);
        double re = c * o[2 * k] - s * o[2 * k + 1], im = c * o[2 * k + 1] + s * o[2 * k];
        out[2 * k] = e[2 * k] + re;
        out[2 * k + 1] = e[2 * k + 1] + im;
        out[2 * (k + n / 2)] = e[2 * k] - re;
        out[2 * (k + n / 2) + 1] = e[2 * k + 1] - im;
    }
}
static void group_fft() {
    const char *G = "fft";
    if (!begin(G, 13)) return;
    const int batch = 512, n = 1024;
    std::vector<float> a = rndv(2 * batch * n, -1, 1), tw(2 * n);
    for (int k = 0; k < n; k++) {
        tw[2 * k] = (float)cos(-2 * M_PI * k / n);
        tw[2 * k + 1] = (float)sin(-2 * M_PI * k / n);
    }
    float *in = up(a), *twd = up(tw), *out = room<float>(2 * batch * n);
    if (g_check) {
        VD d(a.begin(), a.end());
        g_ref.assign(d.size(), 0);
        for (int b = 0; b < batch; b++) host_fft(&d[2 * b * n], 1, n, &g_ref[2 * b * n]);
    }
    Out o = outs(out, 2 * batch * n);
    go(G, "radix2", [=] { fft_radix2<<<batch, 512>>>((const float2 *)in, (float2 *)out); }, o, 1e-4, 1e-3);
    go(G, "radix4", [=] { fft_radix4<<<batch, 256>>>((const float2 *)in, (float2 *)out, (const float2 *)twd); }, o,
       1e-4, 1e-3);
}

// ------------------------------------------------ 14. tridiag: 1024 systems of 256 equations
#define TN 256
__global__ void tridiag_thomas(const float *a, const float *b, const float *c, const float *d, float *cp, float *x,
                               int systems) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    int o = s * TN;
    float pc = c[o] / b[o], pd = d[o] / b[o];
    cp[o] = pc;
    x[o] = pd;
    for (int i = 1; i < TN; i++) {
        float m = 1.0f / (b[o + i] - a[o + i] * pc);
        pd = (d[o + i] - a[o + i] * pd) * m;
        pc = c[o + i] * m;
        cp[o + i] = pc;
        x[o + i] = pd;
    }
    for (int i = TN - 2; i >= 0; i--) {
        pd = x[o + i] - cp[o + i] * pd;
        x[o + i] = pd;
    }
}
// parallel cyclic reduction, a block a system
__global__ void __launch_bounds__(TN)
tridiag_pcr(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
            const float *__restrict__ d, float *__restrict__ x) {
    __shared__ float4 s[TN];
    int t = threadIdx.x, g = blockIdx.x * TN + t;
    float4 e = make_float4(a[g], b[g], c[g], d[g]);
    if (t == 0) e.x = 0;
    if (t == TN - 1) e.z = 0;
    for (int h = 1; h < TN; h *= 2) {
        s[t] = e;
        __syncthreads();
        float4 l = t >= h ? s[t - h] : make_float4(0, 1, 0, 0);
        float4 r = t + h < TN ? s[t + h] : make_float4(0, 1, 0, 0);
        float k1 = __fdividef(e.x, l.y), k2 = __fdividef(e.z, r.y);
        e = make_float4(-l.x * k1, e.y - l.z * k1 - r.x * k2, -r.z * k2, e.w - l.w * k1 - r.w * k2);
        __syncthreads();
    }
    x[g] = e.w / e.y;
}
static void group_tridiag() {
    const char *G = "tridiag";
    if (!begin(G, 14)) return;
    const int m = 1024, n = m * TN;
    std::vector<float> a = rndv(n, -1, 1), b = rndv(n, 2.5f, 4), c = rndv(n, -1, 1), d = rndv(n, -5, 5);
    float *ad = up(a), *bd = up(b), *cd = up(c), *dd = up(d), *cp = room<float>(n), *x = room<float>(n);
    if (g_check) {
        g_ref.assign(n, 0);
        VD q(TN);
        for (int s = 0; s < m; s++) {
            int o = s * TN;
            for (int i = 0; i < TN; i++) {
                double w = b[o + i] - (i ? a[o + i] * q[i - 1] : 0);
                q[i] = c[o + i] / w;
                g_ref[o + i] = (d[o + i] - (i ? a[o + i] * g_ref[o + i - 1] : 0)) / w;
            }
            for (int i = TN - 2; i >= 0; i--) g_ref[o + i] -= q[i] * g_ref[o + i + 1];
        }
    }
    Out o = outs(x, n);
    go(G, "thomas", [=] { tridiag_thomas<<<m / 64, 64>>>(ad, bd, cd, dd, cp, x, m); }, o, 1e-3, 1e-4);
    go(G, "pcr", [=] { tridiag_pcr<<<m, TN>>>(ad, bd, cd, dd, x); }, o, 1e-3, 1e-4);
}

// ------------------------------------- 15. raymarch: emission and absorption through a 96^3 volume
#define RV 96
__device__ __forceinline__ void ray_at(int x, int y, int s, float &px, float &py, float &pz) {
    px = x * 0.5f + 6.0f + 0.3f * s;
    py = y * 0.5f + 8.0f + 0.15f * s;
    pz = 1.5f + 1.4f * s;
}
__global__ void ray_manual(const float *vol, float *img, int w, int h) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= w * h) return;
    float col = 0, tr = 1;
    for (int s = 0; s < 64; s++) {
        float px, py, pz;
        ray_at(n % w, n / w, s, px, py, pz);
        int x = (int)floorf(px), y = (int)floorf(py), z = (int)floorf(pz);
        float fx = px - x, fy = py - y, fz = pz - z;
        const float *p = vol + (z * RV + y) * RV + x;
        float a = p[0] * (1 - fx) + p[1] * fx, b = p[RV] * (1 - fx) + p[RV + 1] * fx;
        float c = p[RV * RV] * (1 - fx) + p[RV * RV + 1] * fx;
        float d = p[RV * RV + RV] * (1 - fx) + p[RV * RV + RV + 1] * fx;
        float v = (a * (1 - fy) + b * fy) * (1 - fz) + (c * (1 - fy) + d * fy) * fz;
        float al = 1.0f - expf(-0.3f * fmaxf(v - 0.3f, 0.0f));
        col += tr * al * v;
        tr *= 1.0f - al;
    }
    img[n] = col;
}
// hardware filtering, square blocks of rays, stops when opaque
__global__ void __launch_bounds__(128) ray_texture(cudaTextureObject_t vol, float *__restrict__ img, int w) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float col = 0, tr = 1;
    for (int s = 0; s < 64 && tr > 0.002f; s++) {
        float px, py, pz;
        ray_at(x, y, s, px, py, pz);
        float v = tex3D<float>(vol, px + 0.5f, py + 0.5f, pz + 0.5f);
        float t = __expf(-0.3f * fmaxf(v - 0.3f, 0.0f));
        col += tr * (1.0f - t) * v;
        tr *= t;
    }
    img[y * w + x] = col;
}
static void group_raymarch() {
    const char *G = "raymarch";
    if (!begin(G, 15)) return;
    const int w = 128, h = 128;
    std::vector<float> a(RV * RV * RV);
    for (int z = 0; z < RV; z++)
        for (int y = 0; y < RV; y++)
            for (int x = 0; x < RV; x++)
                a[(z * RV + y) * RV + x] = 0.4f + 0.3f * sinf(0.11f * x) * cosf(0.13f * y + 0.07f * z) + uni(-0.1f, 0.1f);
    float *vol = up(a), *img = room<float>(w * h);
    cudaArray_t arr;
    cudaChannelFormatDesc cf = cudaCreateChannelDesc<float>();
    CK(cudaMalloc3DArray(&arr, &cf, make_cudaExtent(RV, RV, RV)));
    cudaMemcpy3DParms cp = {};
    cp.srcPtr = make_cudaPitchedPtr(a.data(), RV * sizeof(float), RV, RV);
    cp.dstArray = arr;
    cp.extent = make_cudaExtent(RV, RV, RV);
    cp.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&cp));
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = arr;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = td.addressMode[2] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModeLinear;
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex = 0;
    CK(cudaCreateTextureObject(&tex, &rd, &td, nullptr));
    Out o = outs(img, w * h);
    go(G, "manual", [=] { ray_manual<<<w * h / 256, 256>>>(vol, img, w, h); }, o, 1e-2, 1e-2);
    go(G, "texture", [=] { ray_texture<<<dim3(w / 16, h / 8), dim3(16, 8)>>>(tex, img, w); }, o, 1e-2, 1e-2);
}

// ------------------------------------------ 16. ising: Metropolis half-step of a checkerboard
__device__ __forceinline__ unsigned ising_rng(unsigned i, unsigned sd) {
    unsigned x = i * 0x9E3779B9u + sd;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return (x ^ x >> 16) >> 8;
}
__global__ void ising_site(const signed char *in, signed char *out, int w, int h, int colour, float beta, unsigned sd) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int s = in[y * w + x];
    if (((x + y) & 1) == colour) {
        int sum = in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w] + in[(y + 1) % h * w + x] +
                  in[(y + h - 1) % h * w + x];
        float u = ising_rng(y * w + x, sd) * (1.0f / 16777216.0f);
        if (u < expf(-2.0f * beta * s * sum)) s = -s;
    }
    out[y * w + x] = s;
}
struct IsingThr {
    unsigned t[5];    // for s * sum of -4, -2, 0, 2, 4
};
// four sites a thread, acceptance from a table
__global__ void __launch_bounds__(160)
ising_word(const unsigned *__restrict__ in, unsigned *__restrict__ out, int wpr, int h, int colour, IsingThr thr,
           unsigned sd) {
    __shared__ unsigned tab[5];
    if (threadIdx.x < 5) tab[threadIdx.x] = thr.t[threadIdx.x];
    __syncthreads();
    int x = blockIdx.x * 160 + threadIdx.x, y = blockIdx.y;
    int yu = y == 0 ? h - 1 : y - 1, yd = y == h - 1 ? 0 : y + 1;
    int xl = x == 0 ? wpr - 1 : x - 1, xr = x == wpr - 1 ? 0 : x + 1;
    unsigned m = in[y * wpr + x], u = in[yu * wpr + x], d = in[yd * wpr + x];
    unsigned l = __funnelshift_l(in[y * wpr + xl], m, 8), r = __funnelshift_r(m, in[y * wpr + xr], 8);
    unsigned sum = __vadd4(__vadd4(u, d), __vadd4(l, r)), res = m;
    int first = (y + colour) & 1;    // 4 * x is even
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int b = 8 * (first + 2 * k);
        int s = (signed char)(m >> b), q = (signed char)(sum >> b);
        if (ising_rng((y * wpr + x) * 4 + first + 2 * k, sd) < tab[(s * q + 4) >> 1])
            res = (res & ~(255u << b)) | ((unsigned)(-s & 255) << b);
    }
    out[y * wpr + x] = res;
}
static void group_ising() {
    const char *G = "ising";
    if (!begin(G, 16)) return;
    const int w = 2560, h = 1024;
    const float beta = 0.42f;
    std::vector<signed char> a(w * h);
    for (auto &v : a) v = rnd() % 100 < 62 ? 1 : -1;
    signed char *in = up(a), *out = room<signed char>(w * h);
    IsingThr t;
    for (int i = 0; i < 5; i++) {
        double e = exp(-2.0 * beta * (2 * i - 4));
        t.t[i] = e >= 1 ? 1u << 24 : (unsigned)ceil(e * 16777216.0);
    }
    Out o = outs(out, w * h);
    go(G, "site",
       [=] { ising_site<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in, out, w, h, 1, beta, 777u); }, o, 0, 0, 1e-5);
    go(G, "word",
       [=] {
           ising_word<<<dim3(w / 4 / 160, h), 160>>>((const unsigned *)in, (unsigned *)out, w / 4, h, 1, t, 777u);
       },
       o, 0, 0, 1e-5);
}

// --------------------------- 17. interp: a piecewise linear table of 1024 knots of unequal spacing
#define IK 1024
__constant__ float c_kx[IK], c_ky[IK];
__global__ void interp_const(const float *q, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = q[i];
    int lo = 0, hi = IK - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (x < c_kx[mid]) hi = mid;
        else lo = mid;
    }
    out[i] = c_ky[lo] + (x - c_kx[lo]) * (c_ky[lo + 1] - c_ky[lo]) / (c_kx[lo + 1] - c_kx[lo]);
}
__global__ void __launch_bounds__(256)
interp_shared(const float *__restrict__ q, const float *__restrict__ kx, const float *__restrict__ ky,
              float *__restrict__ out, int n) {
    __shared__ float sx[IK];
    __shared__ float2 line[IK];    // value and slope
    for (int k = threadIdx.x; k < IK; k += 256) {
        float x = kx[k], y = ky[k];
        sx[k] = x;
        line[k] = k < IK - 1 ? make_float2(y, (ky[k + 1] - y) / (kx[k + 1] - x)) : make_float2(y, 0.0f);
    }
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float x = q[i];
        int p = 0;
#pragma unroll
        for (int st = IK / 2; st > 0; st >>= 1)
            if (x >= sx[p + st]) p += st;    // p + st is at most IK - 1; no query reaches the last knot
        float2 l = line[p];
        out[i] = l.x + (x - sx[p]) * l.y;
    }
}
static void group_interp() {
    const char *G = "interp";
    if (!begin(G, 17)) return;
    const int n = 1 << 20;
    std::vector<float> kx(IK), ky = rndv(IK, -1, 1);
    kx[0] = 0;
    for (int k = 1; k < IK; k++) kx[k] = kx[k - 1] + uni(0.01f, 0.2f);
    std::vector<float> q = rndv(n, 0, kx[IK - 1] * 0.9999f);
    CK(cudaMemcpyToSymbol(c_kx, kx.data(), sizeof(float) * IK));
    CK(cudaMemcpyToSymbol(c_ky, ky.data(), sizeof(float) * IK));
    float *qd = up(q), *kxd = up(kx), *kyd = up(ky), *out = room<float>(n);
    if (g_check) {
        g_ref.assign(n, 0);
        for (int i = 0; i < n; i++) {
            int k = (int)(std::upper_bound(kx.begin(), kx.end(), q[i]) - kx.begin()) - 1;
            g_ref[i] = ky[k] + ((double)q[i] - kx[k]) * ((double)ky[k + 1] - ky[k]) / ((double)kx[k + 1] - kx[k]);
        }
    }
    Out o = outs(out, n);
    go(G, "const", [=] { interp_const<<<n / 256, 256>>>(qd, out, n); }, o, 1e-3, 1e-3);
    go(G, "shared", [=] { interp_shared<<<264, 256>>>(qd, kxd, kyd, out, n); }, o, 1e-3, 1e-3);
}

// ------------------------------- 18. dred: a dot product in double, blocks meeting in an atomic add
__global__ void dred_tree(const double *a, const double *b, double *sum, int n) {
    __shared__ double s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? a[i] * b[i] : 0.0;
    __syncthreads();
    for (int st = 1; st < 256; st *= 2) {
        int k = 2 * st * t;
        if (k < 256) s[k] += s[k + st];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, s[0]);
}
__global__ void __launch_bounds__(256)
dred_shuffle(const double2 *__restrict__ a, const double2 *__restrict__ b, double *sum, int n2) {
    __shared__ double s[8];
    double x = 0, y = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n2; i += gridDim.x * 256) {
        double2 p = a[i], q = b[i];
        x += p.x * q.x;
        y += p.y * q.y;
    }
    x += y;
#pragma unroll
    for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = x;
    __syncthreads();
    if (threadIdx.x < 8) {
        x = s[threadIdx.x];
#pragma unroll
        for (int d = 4; d; d >>= 1) x += __shfl_xor_sync(0xffu, x, d);
        if (threadIdx.x == 0) atomicAdd(sum, x);
    }
}
static void group_dred() {
    const char *G = "dred";
    if (!begin(G, 18)) return;
    const int n = 1572864;
    VD a(n), b(n);
    double ref = 0;
    for (int i = 0; i < n; i++) {
        a[i] = uni(-1, 2);
        b[i] = uni(-1, 2);
        ref += a[i] * b[i];
    }
    double *ad = up(a), *bd = up(b), *sum = room<double>(1);
    if (g_check) g_ref.assign(1, ref);
    Out o = outs(sum, 1);
    go(G, "tree", [=] { dred_tree<<<n / 256, 256>>>(ad, bd, sum, n); }, o, 1e-10, 1e-6);
    go(G, "shuffle",
       [=] { dred_shuffle<<<264, 256>>>((const double2 *)ad, (const double2 *)bd, sum, n / 2); }, o, 1e-10, 1e-6);
}

int main(int argc, char **argv) {
    g_check = argc > 1 && !strcmp(argv[1], "check");
    group_sepcol();
    group_morph();
    group_bicubic();
    group_colour();
    group_integral();
    group_bs();
    group_mc();
    group_binomial();
    group_heat();
    group_nbody();
    group_md();
    group_lbm();
    group_fft();
    group_tridiag();
    group_raymarch();
    group_ising();
    group_interp();
    group_dred();
    CK(cudaDeviceSynchronize());
    return 0;
}
