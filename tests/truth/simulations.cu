// Set 6: imaging, finance and physics. 16 groups, 40 variants; "check" compares with a CPU version.
#include "programs.h"
#include <cmath>
#include <cstdint>

// ------------------------------------------------------------------------------------- harness
static bool g_check = false;
static std::vector<float> g_ref;                        // of the current group, only in check
static std::vector<std::pair<void *, size_t>> g_out;    // cleared before each checked launch
typedef std::vector<float> VF;

struct Rng {
    uint64_t s;
    explicit Rng(uint64_t seed) : s(seed * 0x9E3779B97F4A7C15ull + 1) {}
    uint32_t next() {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t x = (uint32_t)(s >> 33) ^ (uint32_t)(s >> 17);
        x *= 0x85ebca6bu;
        x ^= x >> 13;
        return x;
    }
    float uni() { return (next() >> 8) * (1.0f / 16777216.0f); }
    float range(float a, float b) { return a + (b - a) * uni(); }
};
template <class T> static T *up(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *zeros(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T> static VF down(const T *p, size_t n) {
    std::vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    VF r(n);
    for (size_t i = 0; i < n; i++) r[i] = (float)h[i];
    return r;
}
static void run(const char *g, const char *v, std::function<void()> f, std::function<VF()> get,
                double tol, double bad = 0) {
    if (!g_check) {
        bench(g, v, f);
        return;
    }
    for (auto &o : g_out) CK(cudaMemset(o.first, 0, o.second));
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    VF r = get();
    size_t miss = 0;
    for (size_t i = 0; i < r.size() && i < g_ref.size(); i++)
        if (!(fabs((double)r[i] - g_ref[i]) <= tol * (1 + fabs((double)g_ref[i])))) miss++;
    bool ok = r.size() == g_ref.size() && !r.empty() && miss <= bad * r.size();
    printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", g, v, ok ? "true" : "false");
    fflush(stdout);
}
static int hclamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

// ------------------------------------------------------------------- 1. conv5x5: 2D convolution
__constant__ float c_conv[25];

__global__ void conv_naive(const float *in, float *out, const float *filter, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.0f;
    int size = 2 * r + 1;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
            int xx = min(max(x + dx, 0), w - 1);
            int yy = min(max(y + dy, 0), h - 1);
            sum += in[yy * w + xx] * filter[(dy + r) * size + dx + r];
        }
    out[y * w + x] = sum;
}

__global__ void conv_tile(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    __shared__ float tile[8 + 4][32 + 4];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = ty; i < 12; i += 8)
        for (int j = tx; j < 36; j += 32) {
            int xx = min(max(x0 + j - 2, 0), w - 1);
            int yy = min(max(y0 + i - 2, 0), h - 1);
            tile[i][j] = in[yy * w + xx];
        }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x >= w || y >= h) return;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = 0; j < 5; j++) sum += tile[ty + i][tx + j] * c_conv[i * 5 + j];
    out[y * w + x] = sum;
}

// four rows a thread: the 8 rows x 5 columns it needs are read once from the tile
__global__ void __launch_bounds__(256)
conv_rows4(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    __shared__ float tile[36][36];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int i = ty; i < 36; i += 8)
        for (int j = tx; j < 36; j += 32) {
            int xx = min(max(x0 + j - 2, 0), w - 1);
            int yy = min(max(y0 + i - 2, 0), h - 1);
            tile[i][j] = in[yy * w + xx];
        }
    __syncthreads();
    float acc[4] = {0, 0, 0, 0};
    int r0 = ty * 4;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float v[5];
#pragma unroll
        for (int j = 0; j < 5; j++) v[j] = tile[r0 + i][tx + j];
#pragma unroll
        for (int o = 0; o < 4; o++) {
            int k = i - o;
            if (k >= 0 && k < 5) {
#pragma unroll
                for (int j = 0; j < 5; j++) acc[o] += v[j] * c_conv[k * 5 + j];
            }
        }
    }
    int x = x0 + tx;
    if (x >= w) return;
#pragma unroll
    for (int o = 0; o < 4; o++) {
        int y = y0 + r0 + o;
        if (y < h) out[y * w + x] = acc[o];
    }
}

static void group_conv() {
    const char *G = "conv5x5";
    if (!wanted(G)) return;
    const int w = 1024, h = 512;
    Rng rng(1);
    VF img(w * h), f(25);
    for (auto &v : img) v = rng.uni();
    float s = 0;
    for (auto &v : f) s += v = rng.range(0.1f, 1.0f);
    for (auto &v : f) v /= s;
    float *in = up(img), *flt = up(f), *out = zeros<float>(w * h);
    CK(cudaMemcpyToSymbol(c_conv, f.data(), 25 * sizeof(float)));
    g_out = {{out, w * h * sizeof(float)}};
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                double a = 0;
                for (int i = -2; i <= 2; i++)
                    for (int j = -2; j <= 2; j++)
                        a += (double)img[hclamp(y + i, 0, h - 1) * w + hclamp(x + j, 0, w - 1)] *
                             f[(i + 2) * 5 + j + 2];
                g_ref[y * w + x] = (float)a;
            }
    }
    auto get = [=] { return down(out, w * h); };
    run(G, "naive", [=] { conv_naive<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(in, out, flt, w, h, 2); },
        get, 1e-5);
    run(G, "tile", [=] { conv_tile<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in, out, w, h); }, get, 1e-5);
    run(G, "rows4", [=] { conv_rows4<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(in, out, w, h); }, get,
        1e-5);
}

// --------------------------------------------- 2. gauss_col: column pass of a separable Gaussian
#define GR 8
__constant__ float c_gauss[2 * GR + 1];

__global__ void gauss_naive(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    float s = 0;
    for (int k = -GR; k <= GR; k++) {
        int yy = y + k;
        if (yy < 0) yy = 0;
        if (yy >= h) yy = h - 1;
        s += in[yy * w + x] * c_gauss[k + GR];
    }
    out[y * w + x] = s;
}

__global__ void gauss_shared(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    __shared__ float t[64 + 2 * GR][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y0 = blockIdx.y * 64;
    for (int i = threadIdx.y; i < 64 + 2 * GR; i += 8) {
        int yy = min(max(y0 + i - GR, 0), h - 1);
        t[i][threadIdx.x] = in[yy * w + x];
    }
    __syncthreads();
    for (int i = threadIdx.y; i < 64; i += 8) {
        float s = 0;
#pragma unroll
        for (int k = 0; k <= 2 * GR; k++) s += t[i + k][threadIdx.x] * c_gauss[k];
        out[(y0 + i) * w + x] = s;
    }
}

// a thread walks down 32 rows of a column and keeps the window in registers
__global__ void __launch_bounds__(128)
gauss_window(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y0 = blockIdx.y * 32;
    if (x >= w) return;
    float v[2 * GR + 1];
#pragma unroll
    for (int k = 0; k < 2 * GR; k++) v[k] = in[min(max(y0 + k - GR, 0), h - 1) * w + x];
#pragma unroll
    for (int i = 0; i < 32; i++) {
        v[2 * GR] = in[min(y0 + i + GR, h - 1) * w + x];
        float s = 0;
#pragma unroll
        for (int k = 0; k <= 2 * GR; k++) s += v[k] * c_gauss[k];
        out[(y0 + i) * w + x] = s;
#pragma unroll
        for (int k = 0; k < 2 * GR; k++) v[k] = v[k + 1];
    }
}

static void group_gauss() {
    const char *G = "gauss_col";
    if (!wanted(G)) return;
    const int w = 1024, h = 1024;
    Rng rng(2);
    VF img(w * h), f(2 * GR + 1);
    for (auto &v : img) v = rng.uni();
    float s = 0;
    for (int k = -GR; k <= GR; k++) s += f[k + GR] = expf(-k * k / 18.0f);
    for (auto &v : f) v /= s;
    float *in = up(img), *out = zeros<float>(w * h);
    CK(cudaMemcpyToSymbol(c_gauss, f.data(), f.size() * sizeof(float)));
    g_out = {{out, w * h * sizeof(float)}};
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                double a = 0;
                for (int k = -GR; k <= GR; k++)
                    a += (double)img[hclamp(y + k, 0, h - 1) * w + x] * f[k + GR];
                g_ref[y * w + x] = (float)a;
            }
    }
    auto get = [=] { return down(out, w * h); };
    run(G, "naive", [=] { gauss_naive<<<dim3(w / 256, h), 256>>>(in, out, w, h); }, get, 1e-5);
    run(G, "shared", [=] { gauss_shared<<<dim3(w / 32, h / 64), dim3(32, 8)>>>(in, out, w, h); }, get,
        1e-5);
    run(G, "window", [=] { gauss_window<<<dim3(w / 128, h / 32), 128>>>(in, out, w, h); }, get, 1e-5);
}

// ------------------------------------------------------------------------ 3. bilateral, radius 2
__constant__ float c_spatial[25];

__global__ void bilateral_naive(const unsigned char *in, unsigned char *out, int w, int h, int r,
                                float ss, float sr) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float center = in[y * w + x];
    float sum = 0, norm = 0;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
            int xx = min(max(x + dx, 0), w - 1);
            int yy = min(max(y + dy, 0), h - 1);
            float v = in[yy * w + xx];
            float d = v - center;
            float ws = expf(-(float)(dx * dx + dy * dy) / (2 * ss * ss));
            float wr = expf(-(d * d) / (2 * sr * sr));
            sum += v * ws * wr;
            norm += ws * wr;
        }
    out[y * w + x] = (unsigned char)(sum / norm + 0.5f);
}

__global__ void __launch_bounds__(256)
bilateral_lut(const unsigned char *__restrict__ in, unsigned char *__restrict__ out,
              const float *__restrict__ range, int w, int h) {
    __shared__ float lut[256];
    __shared__ float tile[12][36];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    lut[ty * 32 + tx] = range[ty * 32 + tx];
    for (int i = ty; i < 12; i += 8)
        for (int j = tx; j < 36; j += 32)
            tile[i][j] = in[min(max(y0 + i - 2, 0), h - 1) * w + min(max(x0 + j - 2, 0), w - 1)];
    __syncthreads();
    float center = tile[ty + 2][tx + 2];
    float sum = 0, norm = 0;
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = 0; j < 5; j++) {
            float v = tile[ty + i][tx + j];
            float wgt = c_spatial[i * 5 + j] * lut[(int)fabsf(v - center)];
            sum += v * wgt;
            norm += wgt;
        }
    int x = x0 + tx, y = y0 + ty;
    if (x < w && y < h) out[y * w + x] = (unsigned char)(__fdividef(sum, norm) + 0.5f);
}

static void group_bilateral() {
    const char *G = "bilateral";
    if (!wanted(G)) return;
    const int w = 512, h = 192;
    const float ss = 1.5f, sr = 25.0f;
    Rng rng(3);
    std::vector<unsigned char> img(w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            img[y * w + x] =
                (unsigned char)(100 + 60 * sinf(x * 0.05f) * cosf(y * 0.07f) + rng.uni() * 60);
    VF lut(256), sp(25);
    for (int i = 0; i < 256; i++) lut[i] = expf(-(float)(i * i) / (2 * sr * sr));
    for (int i = 0; i < 25; i++) {
        int dy = i / 5 - 2, dx = i % 5 - 2;
        sp[i] = expf(-(float)(dx * dx + dy * dy) / (2 * ss * ss));
    }
    unsigned char *in = up(img), *out = zeros<unsigned char>(w * h);
    float *dl = up(lut);
    CK(cudaMemcpyToSymbol(c_spatial, sp.data(), 25 * sizeof(float)));
    g_out = {{out, (size_t)w * h}};
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float s = 0, n = 0, c = img[y * w + x];
                for (int i = -2; i <= 2; i++)
                    for (int j = -2; j <= 2; j++) {
                        float v = img[hclamp(y + i, 0, h - 1) * w + hclamp(x + j, 0, w - 1)];
                        float g = sp[(i + 2) * 5 + j + 2] * lut[(int)fabsf(v - c)];
                        s += v * g;
                        n += g;
                    }
                g_ref[y * w + x] = (float)(unsigned char)(s / n + 0.5f);
            }
    }
    auto get = [=] { return down(out, w * h); };
    run(G, "naive",
        [=] {
            bilateral_naive<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(in, out, w, h, 2, ss, sr);
        },
        get, 1e-6, 0.002);
    run(G, "lut", [=] { bilateral_lut<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in, out, dl, w, h); }, get,
        1e-6, 0.002);
}

// ----------------------------------------------------------------------------- 4. median3x3, u8
__global__ void median_sort(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char v[9];
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = min(max(x + dx, 0), w - 1);
            int yy = min(max(y + dy, 0), h - 1);
            v[n++] = in[yy * w + xx];
        }
    for (int i = 1; i < 9; i++) {    // insertion sort
        unsigned char key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
    out[y * w + x] = v[4];
}

__device__ __forceinline__ void cmpx(int &a, int &b) {
    int t = min(a, b);
    b = max(a, b);
    a = t;
}
__global__ void median_network(const unsigned char *__restrict__ in, unsigned char *__restrict__ out,
                               int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        p[i] = in[min(max(y + i / 3 - 1, 0), h - 1) * w + min(max(x + i % 3 - 1, 0), w - 1)];
    cmpx(p[1], p[2]); cmpx(p[4], p[5]); cmpx(p[7], p[8]);
    cmpx(p[0], p[1]); cmpx(p[3], p[4]); cmpx(p[6], p[7]);
    cmpx(p[1], p[2]); cmpx(p[4], p[5]); cmpx(p[7], p[8]);
    cmpx(p[0], p[3]); cmpx(p[5], p[8]); cmpx(p[4], p[7]);
    cmpx(p[3], p[6]); cmpx(p[1], p[4]); cmpx(p[2], p[5]);
    cmpx(p[4], p[7]); cmpx(p[4], p[2]); cmpx(p[6], p[4]);
    cmpx(p[4], p[2]);
    out[y * w + x] = (unsigned char)p[4];
}

__device__ __forceinline__ void cmpx4(unsigned &a, unsigned &b) {
    unsigned t = __vminu4(a, b);
    b = __vmaxu4(a, b);
    a = t;
}
// four pixels a thread, a byte each in a word
__global__ void median_simd4(const unsigned *__restrict__ in, unsigned *__restrict__ out, int wpr,
                             int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % wpr, y = i / wpr;
    if (y >= h) return;
    unsigned p[9];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const unsigned *row = in + min(max(y + r - 1, 0), h - 1) * wpr;
        unsigned m = row[x];
        unsigned l = x > 0 ? row[x - 1] >> 24 : m & 0xff;
        unsigned g = x < wpr - 1 ? row[x + 1] & 0xff : m >> 24;
        p[r * 3] = m << 8 | l;
        p[r * 3 + 1] = m;
        p[r * 3 + 2] = m >> 8 | g << 24;
    }
    cmpx4(p[1], p[2]); cmpx4(p[4], p[5]); cmpx4(p[7], p[8]);
    cmpx4(p[0], p[1]); cmpx4(p[3], p[4]); cmpx4(p[6], p[7]);
    cmpx4(p[1], p[2]); cmpx4(p[4], p[5]); cmpx4(p[7], p[8]);
    cmpx4(p[0], p[3]); cmpx4(p[5], p[8]); cmpx4(p[4], p[7]);
    cmpx4(p[3], p[6]); cmpx4(p[1], p[4]); cmpx4(p[2], p[5]);
    cmpx4(p[4], p[7]); cmpx4(p[4], p[2]); cmpx4(p[6], p[4]);
    cmpx4(p[4], p[2]);
    out[i] = p[4];
}

static void group_median() {
    const char *G = "median3x3";
    if (!wanted(G)) return;
    const int w = 1024, h = 512;
    Rng rng(4);
    std::vector<unsigned char> img(w * h);
    for (auto &v : img) v = (unsigned char)(rng.next() >> 13);
    unsigned char *in = up(img), *out = zeros<unsigned char>(w * h);
    g_out = {{out, (size_t)w * h}};
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                unsigned char v[9];
                for (int i = 0; i < 9; i++)
                    v[i] = img[hclamp(y + i / 3 - 1, 0, h - 1) * w + hclamp(x + i % 3 - 1, 0, w - 1)];
                std::sort(v, v + 9);
                g_ref[y * w + x] = v[4];
            }
    }
    auto get = [=] { return down(out, w * h); };
    run(G, "sort", [=] { median_sort<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(in, out, w, h); }, get, 0);
    run(G, "network", [=] { median_network<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in, out, w, h); }, get,
        0);
    run(G, "simd4",
        [=] {
            median_simd4<<<w / 4 * h / 128, 128>>>((const unsigned *)in, (unsigned *)out, w / 4, h);
        },
        get, 0);
}

// ---------------------------------------------- 5. row_integral: prefix sums of an image's rows
__global__ void rows_serial(const unsigned char *in, unsigned *out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    unsigned s = 0;
    for (int c = 0; c < cols; c++) {
        s += in[r * cols + c];
        out[r * cols + c] = s;
    }
}

__global__ void rows_hillis(const unsigned char *in, unsigned *out, int cols) {
    __shared__ unsigned s[1024];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * cols + t];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        unsigned v = 0;
        if (t >= d) v = s[t - d];
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[blockIdx.x * cols + t] = s[t];
}

__global__ void __launch_bounds__(256)
rows_warpscan(const uchar4 *__restrict__ in, uint4 *__restrict__ out) {
    __shared__ unsigned ws[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    uchar4 p = in[blockIdx.x * 256 + t];
    unsigned a = p.x, b = a + p.y, c = b + p.z, d = c + p.w;
    unsigned s = d;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        unsigned v = __shfl_up_sync(0xffffffffu, s, o);
        if (lane >= o) s += v;
    }
    if (lane == 31) ws[warp] = s;
    __syncthreads();
    unsigned base = s - d;
#pragma unroll
    for (int k = 0; k < 7; k++)
        if (k < warp) base += ws[k];
    out[blockIdx.x * 256 + t] = make_uint4(base + a, base + b, base + c, base + d);
}

static void group_rows() {
    const char *G = "row_integral";
    if (!wanted(G)) return;
    const int rows = 1280, cols = 1024;
    Rng rng(5);
    std::vector<unsigned char> img(rows * cols);
    for (auto &v : img) v = (unsigned char)(rng.next() >> 11);
    unsigned char *in = up(img);
    unsigned *out = zeros<unsigned>(rows * cols);
    g_out = {{out, rows * cols * sizeof(unsigned)}};
    if (g_check) {
        g_ref.assign(rows * cols, 0);
        for (int r = 0; r < rows; r++) {
            unsigned s = 0;
            for (int c = 0; c < cols; c++) g_ref[r * cols + c] = (float)(s += img[r * cols + c]);
        }
    }
    auto get = [=] { return down(out, rows * cols); };
    run(G, "serial", [=] { rows_serial<<<rows / 64, 64>>>(in, out, rows, cols); }, get, 0);
    run(G, "hillis", [=] { rows_hillis<<<rows, 1024>>>(in, out, cols); }, get, 0);
    run(G, "warpscan", [=] { rows_warpscan<<<rows, 256>>>((const uchar4 *)in, (uint4 *)out); }, get, 0);
}

// ------------------------------------------------------- 6. fft256: a batch of 256-point FFTs
__global__ void fft_radix2(const float2 *in, float2 *out) {
    __shared__ float2 s[256];
    int t = threadIdx.x;    // 128
    const float2 *x = in + blockIdx.x * 256;
    s[__brev(t) >> 24] = x[t];
    s[__brev(t + 128) >> 24] = x[t + 128];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        int pos = t & (half - 1);
        int i0 = 2 * (t - pos) + pos, i1 = i0 + half;
        float sn, cs;
        sincosf(-3.14159265358979f * pos / half, &sn, &cs);
        float2 u = s[i0], v = s[i1];
        float2 w = make_float2(v.x * cs - v.y * sn, v.x * sn + v.y * cs);
        s[i0] = make_float2(u.x + w.x, u.y + w.y);
        s[i1] = make_float2(u.x - w.x, u.y - w.y);
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
    out[blockIdx.x * 256 + t + 128] = s[t + 128];
}

__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ void fft4(float2 &a, float2 &b, float2 &c, float2 &d) {
    float2 s0 = cadd(a, c), s1 = csub(a, c), s2 = cadd(b, d), t = csub(b, d);
    float2 s3 = make_float2(t.y, -t.x);
    a = cadd(s0, s2);
    b = cadd(s1, s3);
    c = csub(s0, s2);
    d = csub(s1, s3);
}
// v[n] -> v[k], both in natural order
__device__ __forceinline__ void fft16(float2 v[16]) {
    const float C[10] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f,
                         -0.70710678f, -0.92387953f, -1.0f, -0.92387953f};
    const float S[10] = {0.0f, 0.38268343f, 0.70710678f, 0.92387953f, 1.0f, 0.92387953f,
                         0.70710678f, 0.38268343f, 0.0f, -0.38268343f};
    float2 y[16];
#pragma unroll
    for (int b = 0; b < 4; b++) {
        fft4(v[b], v[4 + b], v[8 + b], v[12 + b]);    // index c = 0..3 at v[4 * c + b]
#pragma unroll
        for (int c = 1; c < 4; c++)
            if (b > 0) v[4 * c + b] = cmul(v[4 * c + b], make_float2(C[b * c], -S[b * c]));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        fft4(v[4 * c], v[4 * c + 1], v[4 * c + 2], v[4 * c + 3]);
#pragma unroll
        for (int d = 0; d < 4; d++) y[c + 4 * d] = v[4 * c + d];
    }
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = y[i];
}
// 16 threads an FFT, 8 FFTs a block: 16 x 16 with one transposition through shared memory
__global__ void __launch_bounds__(128)
fft_radix16(const float2 *__restrict__ in, float2 *__restrict__ out, const float2 *__restrict__ tw) {
    __shared__ float2 s[8][16][17];
    int t = threadIdx.x & 15, g = threadIdx.x >> 4;
    size_t base = ((size_t)blockIdx.x * 8 + g) * 256;
    float2 v[16];
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = in[base + 16 * i + t];
    fft16(v);
#pragma unroll
    for (int k = 0; k < 16; k++) s[g][k][t] = cmul(v[k], __ldg(&tw[t * k]));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = s[g][t][i];
    fft16(v);
#pragma unroll
    for (int k = 0; k < 16; k++) out[base + t + 16 * k] = v[k];
}

static void group_fft() {
    const char *G = "fft256";
    if (!wanted(G)) return;
    const int batch = 2048, n = batch * 256;
    Rng rng(6);
    std::vector<float2> x(n), tw(256);
    for (auto &v : x) {
        v.x = rng.range(-1, 1);
        v.y = rng.range(-1, 1);
    }
    for (int i = 0; i < 256; i++) {
        double a = -2 * 3.14159265358979323846 * i / 256;
        tw[i].x = (float)cos(a);
        tw[i].y = (float)sin(a);
    }
    float2 *in = up(x), *dt = up(tw), *out = zeros<float2>(n);
    g_out = {{out, n * sizeof(float2)}};
    if (g_check) {
        g_ref.assign(2 * n, 0);
        for (int b = 0; b < batch; b++)
            for (int k = 0; k < 256; k++) {
                double re = 0, im = 0;
                for (int i = 0; i < 256; i++) {
                    float2 v = x[b * 256 + i], w = tw[i * k & 255];
                    re += (double)v.x * w.x - (double)v.y * w.y;
                    im += (double)v.x * w.y + (double)v.y * w.x;
                }
                g_ref[2 * (b * 256 + k)] = (float)re;
                g_ref[2 * (b * 256 + k) + 1] = (float)im;
            }
    }
    auto get = [=] { return down((const float *)out, 2 * n); };
    run(G, "radix2", [=] { fft_radix2<<<batch, 128>>>(in, out); }, get, 1e-4);
    run(G, "radix16", [=] { fft_radix16<<<batch / 8, 128>>>(in, out, dt); }, get, 1e-4);
}

// ---------------------------------------------------------------------------- 7. black_scholes
struct Option {
    float s, k, t, r, v;
};
// float data, but the formula written with double literals and functions
__global__ void bs_double(const float *s, const float *k, const float *t, const float *r,
                          const float *v, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sq = v[i] * sqrt((double)t[i]);
    double d1 = (log((double)s[i] / k[i]) + (r[i] + 0.5 * v[i] * v[i]) * t[i]) / sq;
    double d2 = d1 - sq;
    double n1 = 0.5 * erfc(-d1 * 0.7071067811865476);
    double n2 = 0.5 * erfc(-d2 * 0.7071067811865476);
    double disc = k[i] * exp(-(double)r[i] * t[i]);
    double call = s[i] * n1 - disc * n2;
    out[i] = make_float2((float)call, (float)(call + disc - s[i]));
}

__global__ void bs_aos(const Option *o, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Option p = o[i];
    float sq = p.v * sqrtf(p.t);
    float d1 = (logf(p.s / p.k) + (p.r + 0.5f * p.v * p.v) * p.t) / sq;
    float d2 = d1 - sq;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f);
    float n2 = 0.5f * erfcf(-d2 * 0.70710678f);
    float disc = p.k * expf(-p.r * p.t);
    float call = p.s * n1 - disc * n2;
    out[i] = make_float2(call, call + disc - p.s);
}

__device__ __forceinline__ float cnd_fast(float d) {    // Abramowitz and Stegun 26.2.17
    float a = fabsf(d);
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * a);
    float p = k * (0.319381530f +
                   k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float c = 0.39894228f * __expf(-0.5f * a * a) * p;
    return d > 0 ? 1.0f - c : c;
}
__device__ __forceinline__ float2 bs_fast(float s, float k, float t, float r, float v) {
    float rs = rsqrtf(t);
    float sq = v * t * rs;
    float d1 = __fdividef(__logf(__fdividef(s, k)) + (r + 0.5f * v * v) * t, sq);
    float d2 = d1 - sq;
    float disc = k * __expf(-r * t);
    float call = s * cnd_fast(d1) - disc * cnd_fast(d2);
    return make_float2(call, call + disc - s);
}
__global__ void bs_vec4(const float4 *__restrict__ s, const float4 *__restrict__ k,
                        const float4 *__restrict__ t, const float4 *__restrict__ r,
                        const float4 *__restrict__ v, float4 *__restrict__ out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 a = s[i], b = k[i], c = t[i], d = r[i], e = v[i];
    float2 p = bs_fast(a.x, b.x, c.x, d.x, e.x);
    float2 q = bs_fast(a.y, b.y, c.y, d.y, e.y);
    out[2 * i] = make_float4(p.x, p.y, q.x, q.y);
    p = bs_fast(a.z, b.z, c.z, d.z, e.z);
    q = bs_fast(a.w, b.w, c.w, d.w, e.w);
    out[2 * i + 1] = make_float4(p.x, p.y, q.x, q.y);
}

static void group_bs() {
    const char *G = "black_scholes";
    if (!wanted(G)) return;
    const int n = 294912;
    Rng rng(7);
    std::vector<Option> o(n);
    VF a[5];
    for (auto &q : a) q.resize(n);
    for (int i = 0; i < n; i++) {
        o[i].s = a[0][i] = rng.range(20, 100);
        o[i].k = a[1][i] = rng.range(20, 100);
        o[i].t = a[2][i] = rng.range(0.25f, 3);
        o[i].r = a[3][i] = rng.range(0.01f, 0.06f);
        o[i].v = a[4][i] = rng.range(0.1f, 0.5f);
    }
    Option *d_o = up(o);
    float *s = up(a[0]), *k = up(a[1]), *t = up(a[2]), *r = up(a[3]), *v = up(a[4]);
    float2 *out = zeros<float2>(n);
    g_out = {{out, n * sizeof(float2)}};
    if (g_check) {
        g_ref.assign(2 * n, 0);
        for (int i = 0; i < n; i++) {
            double S = o[i].s, K = o[i].k, T = o[i].t, R = o[i].r, V = o[i].v;
            double sq = V * sqrt(T), d1 = (log(S / K) + (R + 0.5 * V * V) * T) / sq, d2 = d1 - sq;
            double disc = K * exp(-R * T);
            double call = S * 0.5 * erfc(-d1 / sqrt(2.0)) - disc * 0.5 * erfc(-d2 / sqrt(2.0));
            g_ref[2 * i] = (float)call;
            g_ref[2 * i + 1] = (float)(call + disc - S);
        }
    }
    auto get = [=] { return down((const float *)out, 2 * n); };
    run(G, "double", [=] { bs_double<<<n / 256, 256>>>(s, k, t, r, v, out, n); }, get, 1e-3);
    run(G, "aos", [=] { bs_aos<<<n / 256, 256>>>(d_o, out, n); }, get, 1e-3);
    run(G, "vec4",
        [=] {
            bs_vec4<<<n / 4 / 128, 128>>>((const float4 *)s, (const float4 *)k, (const float4 *)t,
                                          (const float4 *)r, (const float4 *)v, (float4 *)out, n / 4);
        },
        get, 1e-3);
}

// ------------------------------------- 8. asian_mc: arithmetic Asian call, counter-based own RNG
#define MC_STEPS 16
__host__ __device__ __forceinline__ uint32_t pcg(uint32_t v) {
    uint32_t s = v * 747796405u + 2891336453u;
    uint32_t w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}
// normal number `step` of path p: numbers 2k and 2k + 1 are the two of one Box-Muller pair
__device__ float mc_normal(uint32_t p, int step) {
    uint32_t h1 = pcg(p * MC_STEPS + (step >> 1) + 12345u), h2 = pcg(h1);
    float u1 = ((h1 >> 8) + 1) * (1.0f / 16777216.0f), u2 = (h2 >> 8) * (1.0f / 16777216.0f);
    float r = sqrtf(-2.0f * logf(u1));
    return step & 1 ? r * sinf(6.2831853f * u2) : r * cosf(6.2831853f * u2);
}
__global__ void mc_atomic(float *sum, int paths, float s0, float k, float rate, float vol, float dt) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float s = s0, avg = 0;
    for (int i = 0; i < MC_STEPS; i++) {
        float z = mc_normal(p, i);
        s *= expf((rate - 0.5f * vol * vol) * dt + vol * sqrtf(dt) * z);
        avg += s;
    }
    avg /= MC_STEPS;
    float pay = avg > k ? avg - k : 0.0f;
    atomicAdd(sum, pay);
}

__global__ void __launch_bounds__(256)
mc_pairs(float *sum, int paths, float s0, float k, float drift, float vsq) {
    __shared__ float ws[8];
    int p = blockIdx.x * 256 + threadIdx.x;
    float pay = 0;
    if (p < paths) {
        float s = s0, avg = 0;
#pragma unroll 4
        for (int i = 0; i < MC_STEPS / 2; i++) {
            uint32_t h1 = pcg(p * MC_STEPS + i + 12345u), h2 = pcg(h1);
            float u1 = ((h1 >> 8) + 1) * (1.0f / 16777216.0f);
            float u2 = (h2 >> 8) * (1.0f / 16777216.0f);
            float r = sqrtf(fmaxf(-2.0f * __logf(u1), 0.0f)), sn, cs;
            __sincosf(6.2831853f * (u2 - 0.5f), &sn, &cs);    // half a turn off: both signs flip
            s *= __expf(drift - vsq * r * cs);
            avg += s;
            s *= __expf(drift - vsq * r * sn);
            avg += s;
        }
        pay = fmaxf(avg * (1.0f / MC_STEPS) - k, 0.0f);
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) pay += __shfl_down_sync(0xffffffffu, pay, o);
    if ((threadIdx.x & 31) == 0) ws[threadIdx.x >> 5] = pay;
    __syncthreads();
    if (threadIdx.x < 8) {
        pay = ws[threadIdx.x];
#pragma unroll
        for (int o = 4; o > 0; o >>= 1) pay += __shfl_down_sync(0xffu, pay, o);
        if (threadIdx.x == 0) atomicAdd(sum, pay);
    }
}

static void group_mc() {
    const char *G = "asian_mc";
    if (!wanted(G)) return;
    const int paths = 65536;
    const float s0 = 100, k = 95, rate = 0.03f, vol = 0.25f, dt = 1.0f / MC_STEPS;
    float *sum = zeros<float>(1);
    g_out = {{sum, sizeof(float)}};
    if (g_check) {
        double tot = 0;
        for (int p = 0; p < paths; p++) {
            double s = s0, avg = 0;
            for (int i = 0; i < MC_STEPS; i++) {
                uint32_t h1 = pcg((uint32_t)p * MC_STEPS + (i >> 1) + 12345u), h2 = pcg(h1);
                double r = sqrt(-2 * log(((h1 >> 8) + 1) / 16777216.0));
                double a = 6.283185307179586 * ((h2 >> 8) / 16777216.0);
                s *= exp((rate - 0.5 * vol * vol) * dt + vol * sqrt(dt) * r * (i & 1 ? sin(a) : cos(a)));
                avg += s;
            }
            avg /= MC_STEPS;
            tot += avg > k ? avg - k : 0;
        }
        g_ref.assign(1, (float)tot);
    }
    auto get = [=] { return down(sum, 1); };
    const float drift = (rate - 0.5f * vol * vol) * dt, vsq = vol * sqrtf(dt);
    run(G, "atomic", [=] { mc_atomic<<<paths / 256, 256>>>(sum, paths, s0, k, rate, vol, dt); }, get,
        1e-3);
    run(G, "pairs", [=] { mc_pairs<<<paths / 256, 256>>>(sum, paths, s0, k, drift, vsq); }, get, 1e-3);
}

// ------------------------------------------- 9. binomial: American puts, 127 steps = 128 leaves
#define BIN_STEPS 127
__global__ void bin_block(const Option *opts, float *out) {
    __shared__ float v[BIN_STEPS + 1];
    int j = threadIdx.x;    // 128
    Option o = opts[blockIdx.x];
    float dt = o.t / BIN_STEPS;
    float vs = o.v * sqrtf(dt);
    float u = expf(vs), d = expf(-vs);
    float disc = expf(-o.r * dt);
    float p = (expf(o.r * dt) - d) / (u - d);
    v[j] = fmaxf(o.k - o.s * expf((2 * j - BIN_STEPS) * vs), 0.0f);
    __syncthreads();
    for (int t = BIN_STEPS - 1; t >= 0; t--) {
        float nv = 0;
        if (j <= t) {
            float hold = disc * (p * v[j + 1] + (1 - p) * v[j]);
            float ex = o.k - o.s * expf((2 * j - t) * vs);
            nv = fmaxf(hold, ex);
        }
        __syncthreads();
        if (j <= t) v[j] = nv;
        __syncthreads();
    }
    if (j == 0) out[blockIdx.x] = v[0];
}

// a warp an option, four nodes a lane, in registers
__global__ void __launch_bounds__(64) bin_warp(const Option *__restrict__ opts, float *out, int n) {
    int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (w >= n) return;    // a whole warp
    Option o = opts[w];
    float dt = o.t / BIN_STEPS;
    float vs = o.v * sqrtf(dt);
    float u = expf(vs), d = expf(-vs);
    float disc = expf(-o.r * dt);
    float p = (expf(o.r * dt) - d) / (u - d);
    float pu = disc * p, pd = disc * (1 - p);
    float v[4], s[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s[i] = o.s * expf((2 * (lane * 4 + i) - BIN_STEPS) * vs);
        v[i] = fmaxf(o.k - s[i], 0.0f);
    }
    for (int t = BIN_STEPS - 1; t >= 0; t--) {
        float nxt = __shfl_down_sync(0xffffffffu, v[0], 1);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float up1 = i < 3 ? v[i + 1 < 4 ? i + 1 : 3] : nxt;
            s[i] *= u;
            v[i] = fmaxf(pu * up1 + pd * v[i], o.k - s[i]);
        }
    }
    if (lane == 0) out[w] = v[0];
}

static void group_binomial() {
    const char *G = "binomial";
    if (!wanted(G)) return;
    const int n = 256;
    Rng rng(9);
    std::vector<Option> o(n);
    for (auto &q : o) {
        q.s = rng.range(60, 120);
        q.k = rng.range(80, 110);
        q.t = rng.range(0.3f, 2);
        q.r = rng.range(0.01f, 0.06f);
        q.v = rng.range(0.15f, 0.45f);
    }
    Option *d_o = up(o);
    float *out = zeros<float>(n);
    g_out = {{out, n * sizeof(float)}};
    if (g_check) {
        g_ref.assign(n, 0);
        for (int i = 0; i < n; i++) {
            double dt = o[i].t / (double)BIN_STEPS, vs = o[i].v * sqrt(dt), u = exp(vs), d = exp(-vs);
            double disc = exp(-o[i].r * dt), p = (exp(o[i].r * dt) - d) / (u - d);
            double v[BIN_STEPS + 1];
            for (int j = 0; j <= BIN_STEPS; j++)
                v[j] = std::max(o[i].k - o[i].s * exp((2 * j - BIN_STEPS) * vs), 0.0);
            for (int t = BIN_STEPS - 1; t >= 0; t--)
                for (int j = 0; j <= t; j++)
                    v[j] = std::max(disc * (p * v[j + 1] + (1 - p) * v[j]),
                                    o[i].k - o[i].s * exp((2 * j - t) * vs));
            g_ref[i] = (float)v[0];
        }
    }
    auto get = [=] { return down(out, n); };
    run(G, "block", [=] { bin_block<<<n, BIN_STEPS + 1>>>(d_o, out); }, get, 2e-3);
    run(G, "warp", [=] { bin_warp<<<n / 2, 64>>>(d_o, out, n); }, get, 2e-3);
}

// ------------------------------------------------ 10. tridiag: a batch of systems, 128 unknowns
#define TN 128
// Thomas, a thread a system; element i of system m at m * ms + i * is
__global__ void tri_thomas(const float *a, const float *b, const float *c, const float *d, float *cp,
                           float *x, int systems, int ms, int is) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= systems) return;
    int q = m * ms;
    float pc = c[q] / b[q], pd = d[q] / b[q];
    cp[q] = pc;
    x[q] = pd;
    for (int i = 1; i < TN; i++) {
        q += is;
        float den = b[q] - a[q] * pc;
        pc = c[q] / den;
        pd = (d[q] - a[q] * pd) / den;
        cp[q] = pc;
        x[q] = pd;
    }
    for (int i = TN - 2; i >= 0; i--) {
        q -= is;
        pd = x[q] - cp[q] * pd;
        x[q] = pd;
    }
}

// parallel cyclic reduction, a block a system
__global__ void __launch_bounds__(TN)
tri_pcr(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
        const float *__restrict__ d, float *__restrict__ x) {
    __shared__ float sa[TN], sb[TN], sc[TN], sd[TN];
    int i = threadIdx.x, q = blockIdx.x * TN + i;
    float A = a[q], B = b[q], C = c[q], D = d[q];
#pragma unroll
    for (int s = 1; s < TN; s *= 2) {
        sa[i] = A;
        sb[i] = B;
        sc[i] = C;
        sd[i] = D;
        __syncthreads();
        float nb = B, nd = D, na = 0, nc = 0;
        if (i >= s) {
            float k = __fdividef(A, sb[i - s]);
            na = -sa[i - s] * k;
            nb -= sc[i - s] * k;
            nd -= sd[i - s] * k;
        }
        if (i + s < TN) {
            float k = __fdividef(C, sb[i + s]);
            nc = -sc[i + s] * k;
            nb -= sa[i + s] * k;
            nd -= sd[i + s] * k;
        }
        __syncthreads();
        A = na;
        B = nb;
        C = nc;
        D = nd;
    }
    x[q] = __fdividef(D, B);
}

static void group_tridiag() {
    const char *G = "tridiag";
    if (!wanted(G)) return;
    const int m = 2048, n = m * TN;
    Rng rng(10);
    VF h[4], t[4];    // rows, and interleaved
    for (int k = 0; k < 4; k++) {
        h[k].resize(n);
        t[k].resize(n);
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < TN; i++) {
            float e[4] = {i ? -rng.range(0.5f, 1) : 0.0f, rng.range(2.2f, 3),
                          i < TN - 1 ? -rng.range(0.5f, 1) : 0.0f, rng.range(-1, 1)};
            for (int k = 0; k < 4; k++) h[k][j * TN + i] = t[k][i * m + j] = e[k];
        }
    float *a = up(h[0]), *b = up(h[1]), *c = up(h[2]), *d = up(h[3]);
    float *ta = up(t[0]), *tb = up(t[1]), *tc = up(t[2]), *td = up(t[3]);
    float *cp = zeros<float>(n), *x = zeros<float>(n);
    g_out = {{x, n * sizeof(float)}};
    if (g_check) {
        g_ref.assign(n, 0);
        for (int j = 0; j < m; j++) {
            double cc[TN], dd[TN];
            const float *A = &h[0][j * TN], *B = &h[1][j * TN], *C = &h[2][j * TN], *D = &h[3][j * TN];
            cc[0] = C[0] / (double)B[0];
            dd[0] = D[0] / (double)B[0];
            for (int i = 1; i < TN; i++) {
                double den = B[i] - A[i] * cc[i - 1];
                cc[i] = C[i] / den;
                dd[i] = (D[i] - A[i] * dd[i - 1]) / den;
            }
            for (int i = TN - 2; i >= 0; i--) dd[i] -= cc[i] * dd[i + 1];
            for (int i = 0; i < TN; i++) g_ref[j * TN + i] = (float)dd[i];
        }
    }
    auto get = [=] { return down(x, n); };
    auto get_t = [=] {
        VF r = down(x, n), o(n);
        for (int j = 0; j < m; j++)
            for (int i = 0; i < TN; i++) o[j * TN + i] = r[i * m + j];
        return o;
    };
    run(G, "thomas_rows", [=] { tri_thomas<<<m / 64, 64>>>(a, b, c, d, cp, x, m, TN, 1); }, get, 1e-4);
    run(G, "thomas_interleaved", [=] { tri_thomas<<<m / 64, 64>>>(ta, tb, tc, td, cp, x, m, 1, m); },
        get_t, 1e-4);
    run(G, "pcr", [=] { tri_pcr<<<m, TN>>>(a, b, c, d, x); }, get, 1e-4);
}

// --------------------------------------------------------------- 11. heat3d: 7-point stencil step
// threadIdx.x runs over z, the slowest dimension of the array
__global__ void heat_strided(const float *in, float *out, int nx, int ny, int nz, float k) {
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int i = (z * ny + y) * nx + x;
    float c = in[i];
    out[i] = c + k * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] +
                      in[i + nx * ny] - 6.0f * c);
}
__global__ void heat_naive(const float *in, float *out, int nx, int ny, int nz, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int i = (z * ny + y) * nx + x;
    float c = in[i];
    out[i] = c + k * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] +
                      in[i + nx * ny] - 6.0f * c);
}
// 24 planes a thread: the column along z in registers, the plane in a shared tile
__global__ void __launch_bounds__(256)
heat_march(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float k) {
    __shared__ float t[10][34];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int z0 = max((int)blockIdx.z * 24, 1), z1 = min((int)blockIdx.z * 24 + 24, nz - 1);
    int plane = nx * ny;
    bool inner = x >= 1 && y >= 1 && x < nx - 1 && y < ny - 1;
    int i = (z0 * ny + y) * nx + x;
    float below = in[i - plane], c = in[i], above;
    for (int z = z0; z < z1; z++, i += plane) {
        above = in[i + plane];
        t[ty][tx] = c;
        if (threadIdx.x == 0 && x > 0) t[ty][0] = in[i - 1];
        if (threadIdx.x == 31 && x < nx - 1) t[ty][33] = in[i + 1];
        if (threadIdx.y == 0 && y > 0) t[0][tx] = in[i - nx];
        if (threadIdx.y == 7 && y < ny - 1) t[9][tx] = in[i + nx];
        __syncthreads();
        if (inner)
            out[i] = c + k * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] + below +
                              above - 6.0f * c);
        __syncthreads();
        below = c;
        c = above;
    }
}

static void group_heat() {
    const char *G = "heat3d";
    if (!wanted(G)) return;
    const int nx = 128, ny = 128, nz = 96, n = nx * ny * nz;
    const float k = 0.1f;
    Rng rng(11);
    VF u(n);
    for (auto &v : u) v = rng.uni();
    float *in = up(u), *out = zeros<float>(n);
    g_out = {{out, n * sizeof(float)}};
    if (g_check) {
        g_ref.assign(n, 0);
        for (int z = 1; z < nz - 1; z++)
            for (int y = 1; y < ny - 1; y++)
                for (int x = 1; x < nx - 1; x++) {
                    int i = (z * ny + y) * nx + x;
                    g_ref[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] +
                                           u[i - nx * ny] + u[i + nx * ny] - 6 * u[i]);
                }
    }
    auto get = [=] { return down(out, n); };
    run(G, "strided",
        [=] {
            heat_strided<<<dim3(nz / 8, ny / 8, nx / 8), dim3(8, 8, 8)>>>(in, out, nx, ny, nz, k);
        },
        get, 1e-5);
    run(G, "naive",
        [=] { heat_naive<<<dim3(nx / 32, ny / 4, nz / 2), dim3(32, 4, 2)>>>(in, out, nx, ny, nz, k); },
        get, 1e-5);
    run(G, "march",
        [=] { heat_march<<<dim3(nx / 32, ny / 8, nz / 24), dim3(32, 8)>>>(in, out, nx, ny, nz, k); },
        get, 1e-5);
}

// ---------------------------------------------- 12. lbm: D2Q9, pull, BGK, one step, periodic box
__constant__ int c_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int c_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float c_w[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                             1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__global__ void lbm_aos(const float *in, float *out, int w, int h, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; q++) {
        int xs = (x - c_ex[q] + w) % w;
        int ys = (y - c_ey[q] + h) % h;
        f[q] = in[(ys * w + xs) * 9 + q];
        rho += f[q];
        ux += f[q] * c_ex[q];
        uy += f[q] * c_ey[q];
    }
    ux /= rho;
    uy /= rho;
    float uu = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < 9; q++) {
        float eu = 3.0f * (c_ex[q] * ux + c_ey[q] * uy);
        float feq = c_w[q] * rho * (1.0f + eu + 0.5f * eu * eu - uu);
        out[(y * w + x) * 9 + q] = f[q] + omega * (feq - f[q]);
    }
}
__global__ void __launch_bounds__(128)
lbm_soa(const float *__restrict__ in, float *__restrict__ out, int w, int h, float omega) {
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    int n = w * h;
    int xm = x == 0 ? w - 1 : x - 1, xp = x == w - 1 ? 0 : x + 1;
    int r0 = y * w, rm = (y == 0 ? h - 1 : y - 1) * w, rp = (y == h - 1 ? 0 : y + 1) * w;
    float f0 = in[r0 + x], f1 = in[n + r0 + xm], f2 = in[2 * n + rm + x], f3 = in[3 * n + r0 + xp],
          f4 = in[4 * n + rp + x], f5 = in[5 * n + rm + xm], f6 = in[6 * n + rm + xp],
          f7 = in[7 * n + rp + xp], f8 = in[8 * n + rp + xm];
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float inv = __frcp_rn(rho);
    float ux = (f1 + f5 + f8 - f3 - f6 - f7) * inv, uy = (f2 + f5 + f6 - f4 - f7 - f8) * inv;
    float b = 1.0f - 1.5f * (ux * ux + uy * uy), om = 1.0f - omega;
    float w0 = omega * rho * (4.f / 9), w1 = omega * rho * (1.f / 9), w2 = omega * rho * (1.f / 36);
    float a = ux + uy, s = ux - uy;
    int i = r0 + x;
    out[i] = om * f0 + w0 * b;
    out[n + i] = om * f1 + w1 * (b + 3 * ux + 4.5f * ux * ux);
    out[2 * n + i] = om * f2 + w1 * (b + 3 * uy + 4.5f * uy * uy);
    out[3 * n + i] = om * f3 + w1 * (b - 3 * ux + 4.5f * ux * ux);
    out[4 * n + i] = om * f4 + w1 * (b - 3 * uy + 4.5f * uy * uy);
    out[5 * n + i] = om * f5 + w2 * (b + 3 * a + 4.5f * a * a);
    out[6 * n + i] = om * f6 + w2 * (b - 3 * s + 4.5f * s * s);
    out[7 * n + i] = om * f7 + w2 * (b - 3 * a + 4.5f * a * a);
    out[8 * n + i] = om * f8 + w2 * (b + 3 * s + 4.5f * s * s);
}

static void group_lbm() {
    const char *G = "lbm_d2q9";
    if (!wanted(G)) return;
    const int w = 512, h = 384, n = w * h;
    const float omega = 1.2f;
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const double wt[9] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                          1. / 36, 1. / 36, 1. / 36, 1. / 36};
    Rng rng(12);
    VF aos(9 * n), soa(9 * n);
    for (int i = 0; i < n; i++)
        for (int q = 0; q < 9; q++)
            aos[i * 9 + q] = soa[q * n + i] = (float)wt[q] * rng.range(0.9f, 1.1f);
    float *ia = up(aos), *is = up(soa), *out = zeros<float>(9 * n);
    g_out = {{out, 9 * n * sizeof(float)}};
    if (g_check) {
        g_ref.assign(9 * n, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                double f[9], rho = 0, ux = 0, uy = 0;
                for (int q = 0; q < 9; q++) {
                    f[q] = aos[(((y - ey[q] + h) % h) * w + (x - ex[q] + w) % w) * 9 + q];
                    rho += f[q];
                    ux += f[q] * ex[q];
                    uy += f[q] * ey[q];
                }
                ux /= rho;
                uy /= rho;
                for (int q = 0; q < 9; q++) {
                    double eu = 3 * (ex[q] * ux + ey[q] * uy);
                    double feq = wt[q] * rho * (1 + eu + 0.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
                    g_ref[q * n + y * w + x] = (float)(f[q] + omega * (feq - f[q]));
                }
            }
    }
    auto get = [=] { return down(out, 9 * n); };
    auto get_a = [=] {
        VF r = down(out, 9 * n), o(9 * n);
        for (int i = 0; i < n; i++)
            for (int q = 0; q < 9; q++) o[q * n + i] = r[i * 9 + q];
        return o;
    };
    run(G, "aos", [=] { lbm_aos<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(ia, out, w, h, omega); }, get_a,
        1e-5);
    run(G, "soa", [=] { lbm_soa<<<dim3(w / 128, h), 128>>>(is, out, w, h, omega); }, get, 1e-5);
}

// ------------------------- 13. cell_list: soft short-range forces, 16^3 cells of edge 1 = cutoff
#define NC 16
struct Vec3 {
    float x, y, z;
};
// particles in no order, the cells as linked lists
__global__ void cells_linked(const Vec3 *pos, const int *head, const int *next, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vec3 p = pos[i];
    int cx = (int)p.x, cy = (int)p.y, cz = (int)p.z;
    float fx = 0, fy = 0, fz = 0, e = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int c = (((cz + dz + NC) % NC) * NC + (cy + dy + NC) % NC) * NC + (cx + dx + NC) % NC;
                for (int j = head[c]; j >= 0; j = next[j]) {
                    if (j == i) continue;
                    float rx = p.x - pos[j].x, ry = p.y - pos[j].y, rz = p.z - pos[j].z;
                    rx -= NC * rintf(rx / NC);
                    ry -= NC * rintf(ry / NC);
                    rz -= NC * rintf(rz / NC);
                    float r = sqrtf(rx * rx + ry * ry + rz * rz);
                    if (r < 1.0f && r > 1e-6f) {
                        float f = (1.0f - r) / r;
                        fx += f * rx;
                        fy += f * ry;
                        fz += f * rz;
                        e += (1.0f - r) * (1.0f - r);
                    }
                }
            }
    out[i] = make_float4(fx, fy, fz, e);
}
// particles sorted by cell; w of a position is the particle's number
__global__ void __launch_bounds__(128)
cells_sorted(const float4 *__restrict__ spos, const int *__restrict__ start, float4 *__restrict__ out,
             int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    float4 p = spos[i];
    int cx = (int)p.x, cy = (int)p.y, cz = (int)p.z;
    float fx = 0, fy = 0, fz = 0, e = 0;
    for (int dz = -1; dz <= 1; dz++) {
        int z = cz + dz;
        float pz = p.z + (z < 0 ? (float)NC : z >= NC ? -(float)NC : 0.0f);
        for (int dy = -1; dy <= 1; dy++) {
            int y = cy + dy;
            float py = p.y + (y < 0 ? (float)NC : y >= NC ? -(float)NC : 0.0f);
            int row = ((z & (NC - 1)) * NC + (y & (NC - 1))) * NC;
            for (int dx = -1; dx <= 1; dx++) {
                int x = cx + dx;
                float px = p.x + (x < 0 ? (float)NC : x >= NC ? -(float)NC : 0.0f);
                int c = row + (x & (NC - 1));
                int b = start[c + 1];
                for (int j = start[c]; j < b; j++) {
                    float4 o = spos[j];
                    float rx = px - o.x, ry = py - o.y, rz = pz - o.z;
                    float r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 < 1.0f && r2 > 1e-12f) {
                        float inv = rsqrtf(r2), f = inv - 1.0f, g = 1.0f - r2 * inv;
                        fx += f * rx;
                        fy += f * ry;
                        fz += f * rz;
                        e += g * g;
                    }
                }
            }
        }
    }
    out[__float_as_int(p.w)] = make_float4(fx, fy, fz, e);
}

static void group_cells() {
    const char *G = "cell_list";
    if (!wanted(G)) return;
    const int n = 24576, cells = NC * NC * NC;
    Rng rng(13);
    std::vector<Vec3> p(n);
    std::vector<int> head(cells, -1), next(n), start(cells + 1, 0), cell(n);
    for (int i = 0; i < n; i++) {
        p[i].x = NC * rng.uni();
        p[i].y = NC * rng.uni();
        p[i].z = NC * rng.uni();
        cell[i] = ((int)p[i].z * NC + (int)p[i].y) * NC + (int)p[i].x;
        next[i] = head[cell[i]];
        head[cell[i]] = i;
        start[cell[i] + 1]++;
    }
    for (int c = 0; c < cells; c++) start[c + 1] += start[c];
    std::vector<float4> sp(n);
    std::vector<int> at(start.begin(), start.end() - 1);
    for (int i = 0; i < n; i++) {
        float4 &q = sp[at[cell[i]]++];
        q.x = p[i].x;
        q.y = p[i].y;
        q.z = p[i].z;
        memcpy(&q.w, &i, 4);
    }
    Vec3 *d_p = up(p);
    int *d_h = up(head), *d_n = up(next), *d_s = up(start);
    float4 *d_sp = up(sp), *out = zeros<float4>(n);
    g_out = {{out, n * sizeof(float4)}};
    if (g_check) {
        g_ref.assign(4 * n, 0);
        for (int i = 0; i < n; i++) {
            double f[4] = {0, 0, 0, 0};
            for (int k = 0; k < 27; k++) {
                int x = ((int)p[i].x + k % 3 - 1 + NC) % NC, y = ((int)p[i].y + k / 3 % 3 - 1 + NC) % NC,
                    z = ((int)p[i].z + k / 9 - 1 + NC) % NC;
                for (int j = head[(z * NC + y) * NC + x]; j >= 0; j = next[j]) {
                    if (j == i) continue;
                    double d[3] = {(double)p[i].x - p[j].x, (double)p[i].y - p[j].y,
                                   (double)p[i].z - p[j].z};
                    for (double &q : d) q -= NC * rint(q / NC);
                    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                    if (r < 1 && r > 1e-6) {
                        for (int a = 0; a < 3; a++) f[a] += (1 - r) / r * d[a];
                        f[3] += (1 - r) * (1 - r);
                    }
                }
            }
            for (int a = 0; a < 4; a++) g_ref[4 * i + a] = (float)f[a];
        }
    }
    auto get = [=] { return down((const float *)out, 4 * n); };
    run(G, "linked", [=] { cells_linked<<<n / 128, 128>>>(d_p, d_h, d_n, out, n); }, get, 1e-3, 1e-4);
    run(G, "sorted", [=] { cells_sorted<<<n / 128, 128>>>(d_sp, d_s, out, n); }, get, 1e-3, 1e-4);
}

// ------------------------------ 14. pic_deposit: cloud-in-cell charge on a periodic 256 x 256 grid
#define PG 256
struct Particle {
    float x, y, vx, vy, q;
};
__global__ void pic_global(const Particle *p, float *grid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i].x, y = p[i].y, q = p[i].q;
    int ix = (int)x, iy = (int)y;
    float fx = x - ix, fy = y - iy;
    int ix1 = (ix + 1) % PG, iy1 = (iy + 1) % PG;
    atomicAdd(&grid[iy * PG + ix], q * (1 - fx) * (1 - fy));
    atomicAdd(&grid[iy * PG + ix1], q * fx * (1 - fy));
    atomicAdd(&grid[iy1 * PG + ix], q * (1 - fx) * fy);
    atomicAdd(&grid[iy1 * PG + ix1], q * fx * fy);
}
// particles sorted by tiles of 16 x 16 cells; a block adds up its tile in shared memory
__global__ void __launch_bounds__(512)
pic_tiled(const float2 *__restrict__ pos, const float *__restrict__ charge,
          const int *__restrict__ start, float *grid) {
    __shared__ float t[17 * 17];
    for (int k = threadIdx.x; k < 17 * 17; k += 512) t[k] = 0;
    __syncthreads();
    int tile = blockIdx.x, x0 = (tile & 15) * 16, y0 = (tile >> 4) * 16;
    int end = start[tile + 1];
    for (int i = start[tile] + threadIdx.x; i < end; i += 512) {
        float2 p = pos[i];
        float q = charge[i];
        int ix = (int)p.x, iy = (int)p.y;
        float fx = p.x - ix, fy = p.y - iy;
        int k = (iy - y0) * 17 + ix - x0;
        atomicAdd(&t[k], q * (1 - fx) * (1 - fy));
        atomicAdd(&t[k + 1], q * fx * (1 - fy));
        atomicAdd(&t[k + 17], q * (1 - fx) * fy);
        atomicAdd(&t[k + 18], q * fx * fy);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 17 * 17; k += 512) {
        int gx = (x0 + k % 17) & (PG - 1), gy = (y0 + k / 17) & (PG - 1);
        atomicAdd(&grid[gy * PG + gx], t[k]);
    }
}

static void group_pic() {
    const char *G = "pic_deposit";
    if (!wanted(G)) return;
    const int n = 524288;
    Rng rng(14);
    std::vector<Particle> p(n);
    std::vector<int> start(257, 0), tile(n);
    for (int i = 0; i < n; i++) {
        p[i].x = PG * rng.uni();
        p[i].y = PG * rng.uni();
        p[i].vx = p[i].vy = 0;
        p[i].q = rng.range(0.5f, 1.5f);
        tile[i] = (int)p[i].y / 16 * 16 + (int)p[i].x / 16;
        start[tile[i] + 1]++;
    }
    for (int k = 0; k < 256; k++) start[k + 1] += start[k];
    std::vector<float2> sp(n);
    VF sq(n);
    std::vector<int> at(start.begin(), start.end() - 1);
    for (int i = 0; i < n; i++) {
        int k = at[tile[i]]++;
        sp[k].x = p[i].x;
        sp[k].y = p[i].y;
        sq[k] = p[i].q;
    }
    Particle *d_p = up(p);
    float2 *d_sp = up(sp);
    float *d_q = up(sq), *grid = zeros<float>(PG * PG);
    int *d_s = up(start);
    g_out = {{grid, PG * PG * sizeof(float)}};
    if (g_check) {
        std::vector<double> r(PG * PG, 0);
        for (int i = 0; i < n; i++) {
            int ix = (int)p[i].x, iy = (int)p[i].y, ix1 = (ix + 1) % PG, iy1 = (iy + 1) % PG;
            double fx = p[i].x - ix, fy = p[i].y - iy, q = p[i].q;
            r[iy * PG + ix] += q * (1 - fx) * (1 - fy);
            r[iy * PG + ix1] += q * fx * (1 - fy);
            r[iy1 * PG + ix] += q * (1 - fx) * fy;
            r[iy1 * PG + ix1] += q * fx * fy;
        }
        g_ref.assign(r.begin(), r.end());
    }
    auto get = [=] { return down(grid, PG * PG); };
    run(G, "global", [=] { pic_global<<<n / 256, 256>>>(d_p, grid, n); }, get, 1e-4);
    run(G, "tiled", [=] { pic_tiled<<<256, 512>>>(d_sp, d_q, d_s, grid); }, get, 1e-4);
}

// ------------------------------------------------------------------------------ 15. mandelbrot
__global__ void mandel_naive(int *out, int w, int h, float x0, float y0, float step, int maxit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    float cx = x0 + (i % w) * step, cy = y0 + (i / w) * step;
    float zx = 0, zy = 0;
    int it = 0;
    while (it < maxit && sqrtf(zx * zx + zy * zy) <= 2.0f) {
        float nx = zx * zx - zy * zy + cx;
        float ny = 2 * zx * zy + cy;
        zx = nx;
        zy = ny;
        it++;
    }
    out[i] = it;
}
// a warp is 8 x 4 pixels; the squares are kept
__global__ void __launch_bounds__(128)
mandel_tile(int *__restrict__ out, int w, int h, float x0, float y0, float step, int maxit) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    float cx = x0 + x * step, cy = y0 + y * step;
    float zx = 0, zy = 0, x2 = 0, y2 = 0;
    int it = 0;
    while (it < maxit && x2 + y2 <= 4.0f) {
        zy = fmaf(zx + zx, zy, cy);
        zx = x2 - y2 + cx;
        x2 = zx * zx;
        y2 = zy * zy;
        it++;
    }
    out[y * w + x] = it;
}

static void group_mandel() {
    const char *G = "mandelbrot";
    if (!wanted(G)) return;
    const int w = 384, h = 256, maxit = 256;
    const float step = 3.0f / w, x0 = -2.0f, y0 = -1.0f + 0.1f * step;
    int *out = zeros<int>(w * h);
    g_out = {{out, w * h * sizeof(int)}};
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float cx = x0 + x * step, cy = y0 + y * step, zx = 0, zy = 0;
                int it = 0;
                while (it < maxit && zx * zx + zy * zy <= 4) {
                    float nx = zx * zx - zy * zy + cx;
                    zy = 2 * zx * zy + cy;
                    zx = nx;
                    it++;
                }
                g_ref[y * w + x] = (float)it;
            }
    }
    auto get = [=] { return down(out, w * h); };
    run(G, "naive", [=] { mandel_naive<<<w * h / 256, 256>>>(out, w, h, x0, y0, step, maxit); }, get, 0,
        0.01);
    run(G, "tile",
        [=] { mandel_tile<<<dim3(w / 8, h / 16), dim3(8, 16)>>>(out, w, h, x0, y0, step, maxit); }, get,
        0, 0.01);
}

// ------------------------------------------------------------ 16. life: one generation on a torus
__global__ void life_byte(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int l = x == 0 ? w - 1 : x - 1, r = x == w - 1 ? 0 : x + 1;
    int u = y == 0 ? h - 1 : y - 1, d = y == h - 1 ? 0 : y + 1;
    int n = in[u * w + l] + in[u * w + x] + in[u * w + r] + in[y * w + l] + in[y * w + r] +
            in[d * w + l] + in[d * w + x] + in[d * w + r];
    int alive = in[y * w + x];
    if (alive) out[y * w + x] = (n == 2 || n == 3) ? 1 : 0;
    else out[y * w + x] = n == 3 ? 1 : 0;
}
__global__ void life_tile(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char t[18][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    int id = threadIdx.y * 32 + threadIdx.x;    // 512
    for (int k = id; k < 18 * 34; k += 512) {
        int x = x0 + k % 34 - 1, y = y0 + k / 34 - 1;
        x = x < 0 ? w - 1 : x >= w ? 0 : x;
        y = y < 0 ? h - 1 : y >= h ? 0 : y;
        t[k / 34][k % 34] = in[y * w + x];
    }
    __syncthreads();
    int a = threadIdx.x + 1, b = threadIdx.y + 1;
    int n = t[b - 1][a - 1] + t[b - 1][a] + t[b - 1][a + 1] + t[b][a - 1] + t[b][a + 1] +
            t[b + 1][a - 1] + t[b + 1][a] + t[b + 1][a + 1];
    out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = n == 3 || (n == 2 && t[b][a]);
}
// four cells a word, added bytewise
__global__ void __launch_bounds__(128)
life_word(const unsigned *__restrict__ in, unsigned *__restrict__ out, int wpr, int h) {
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    if (x >= wpr) return;
    int l = x == 0 ? wpr - 1 : x - 1, r = x == wpr - 1 ? 0 : x + 1;
    unsigned n = 0, mid = 0;
#pragma unroll
    for (int k = -1; k <= 1; k++) {
        int yy = y + k;
        yy = yy < 0 ? h - 1 : yy >= h ? 0 : yy;
        const unsigned *row = in + yy * wpr;
        unsigned m = row[x];
        n += (m << 8 | row[l] >> 24) + (m >> 8 | row[r] << 24);
        if (k == 0) mid = m;
        else n += m;
    }
    out[y * wpr + x] = (__vcmpeq4(n, 0x03030303u) & 0x01010101u) | (__vcmpeq4(n, 0x02020202u) & mid);
}

static void group_life() {
    const char *G = "life";
    if (!wanted(G)) return;
    const int w = 2048, h = 768;
    Rng rng(16);
    std::vector<unsigned char> a(w * h);
    for (auto &v : a) v = rng.next() % 100 < 35;
    unsigned char *in = up(a), *out = zeros<unsigned char>(w * h);
    g_out = {{out, (size_t)w * h}};
    if (g_check) {
        g_ref.assign(w * h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                int n = 0;
                for (int k = 0; k < 9; k++)
                    if (k != 4) n += a[(y + k / 3 - 1 + h) % h * w + (x + k % 3 - 1 + w) % w];
                g_ref[y * w + x] = n == 3 || (n == 2 && a[y * w + x]);
            }
    }
    auto get = [=] { return down(out, w * h); };
    run(G, "byte", [=] { life_byte<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(in, out, w, h); }, get, 0);
    run(G, "tile", [=] { life_tile<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(in, out, w, h); }, get, 0);
    run(G, "word",
        [=] { life_word<<<dim3(w / 4 / 128, h), 128>>>((const unsigned *)in, (unsigned *)out, w / 4, h); },
        get, 0);
}

int main(int argc, char **argv) {
    g_check = argc > 1 && !strcmp(argv[1], "check");
    group_conv();
    group_gauss();
    group_bilateral();
    group_median();
    group_rows();
    group_fft();
    group_bs();
    group_mc();
    group_binomial();
    group_tridiag();
    group_heat();
    group_lbm();
    group_cells();
    group_pic();
    group_mandel();
    group_life();
    CK(cudaDeviceSynchronize());
    return 0;
}
