// Pairs of kernels, a computation as first written and as improved for one textbook reason, by somebody who did not know the model; their times were
// modelled and then measured, once: what pairs.def says of them tests the model. Every kernel takes what its row there says.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx pairs.cu
typedef unsigned u;
typedef unsigned char byte;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// ---- particles: charged ones in a magnetic field; place, speed, charge and mass, as records or as arrays
template <bool arrays> __device__ __forceinline__ void push(const float *x, float *y, int n) {
    int i = INDEX, first = arrays ? i : 8 * i, step = arrays ? n : 1;
    if (i >= n) return;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[first + k * step];
    float t = 0.005f * v[6] / (v[7] + 1), s = 2 * t / (1 + t * t);
    float ax = v[3] + v[4] * t, ay = v[4] - v[3] * t;
    float bx = v[3] + ay * s, by = v[4] - ax * s;
    y[first] = v[0] + 0.01f * bx;
    y[first + step] = v[1] + 0.01f * by;
    y[first + 2 * step] = v[2] + 0.01f * v[5];
    y[first + 3 * step] = bx;
    y[first + 4 * step] = by;
    y[first + 5 * step] = v[5];
}
KERNEL push_records(const float *x, float *y, int n) { push<false>(x, y, n); }
KERNEL push_arrays(const float *x, float *y, int n) { push<true>(x, y, n); }

// ---- materials: the stress in elements of four materials, in any order or a warp's elements of one material
__device__ __forceinline__ void stress(float e, int kind, float *y) {
    float s;
    if (kind == 0) { // elastic up to the limit
        s = 210 * e;
        if (s > 3) s = 3 + 0.1f * (s - 3);
    } else if (kind == 1) { // Ramberg and Osgood: Newton's steps
        s = e * 50;
        for (int k = 0; k < 10; k++) {
            float q = s * s, p = q * q, f = 0.01f * s + 0.002f * p * s - e;
            s -= __fdividef(f, 0.01f + 0.01f * p);
        }
    } else if (kind == 2) { // Prony's series
        s = 0;
        for (int k = 1; k <= 12; k++) s += __expf(-e * k) * (13 - k);
        s *= e;
    } else { // Ogden's rubber
        float l = 1 + e, a = __powf(l, 1.3f), b = __powf(l, -0.65f), c = __powf(l, 5.0f), d = __powf(l, -2.5f), g = __powf(l, -2.0f), h = sqrtf(l);
        s = __fdividef(0.63f * (a - b) + 0.0012f * (c - d) - 0.01f * (g - h), l);
    }
    *y = s;
}
KERNEL stress_mixed(const float *x, const byte *d, float *y) {
    int i = INDEX;
    stress(x[i] * 0.005f, d[i] & 3, y + i);
}
KERNEL stress_sorted(const float *x, const byte *d, float *y) {
    int i = INDEX;
    stress(x[i] * 0.005f, d[i >> 5] & 3, y + i);
}

// ---- prices: the deepest fall of each series of 32, a series a thread, through shared memory
template <int width> __device__ __forceinline__ void falls(const float *x, float *y) {
    __shared__ float t[128][width];
    for (int k = threadIdx.x; k < 128 * 32; k += 128) t[k / 32][k % 32] = x[blockIdx.x * 4096 + k];
    __syncthreads();
    float top = 0, fall = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k++) {
        float v = t[threadIdx.x][k];
        top = fmaxf(top, v);
        fall = fmaxf(fall, top - v);
    }
    y[INDEX] = fall;
}
KERNEL falls_plain(const float *x, float *y) { falls<32>(x, y); }
KERNEL falls_padded(const float *x, float *y) { falls<33>(x, y); }

// ---- seismic waves: a star of 25 points; w by w by any number of planes, with a border of four
#define C0 -2.84722f
#define C1 1.6f
#define C2 -0.2f
#define C3 0.0253968f
#define C4 -0.00178571f
KERNEL seismic_global(const float *x, const float *z, float *y, int w) { // a cell a thread; 32 rows of blocks a plane
    int c = INDEX + 4, r = (blockIdx.y & 31) * 8 + threadIdx.y + 4, p = (blockIdx.y >> 5) + 4;
    int i = (p * w + r) * w + c, ww = w * w;
    float s = 3 * C0 * x[i];
    s += C1 * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w] + x[i - ww] + x[i + ww]);
    s += C2 * (x[i - 2] + x[i + 2] + x[i - 2 * w] + x[i + 2 * w] + x[i - 2 * ww] + x[i + 2 * ww]);
    s += C3 * (x[i - 3] + x[i + 3] + x[i - 3 * w] + x[i + 3 * w] + x[i - 3 * ww] + x[i + 3 * ww]);
    s += C4 * (x[i - 4] + x[i + 4] + x[i - 4 * w] + x[i + 4 * w] + x[i - 4 * ww] + x[i + 4 * ww]);
    y[i] = 2 * x[i] - z[i] + 0.1f * s;
}
KERNEL seismic_march(const float *x, const float *z, float *y, int w) { // 32 planes a thread, a column in registers, a plane in shared memory
    __shared__ float t[16][40];
    int tx = threadIdx.x, ty = threadIdx.y, ww = w * w;
    int c = INDEX + 4, r = (blockIdx.y & 31) * 8 + ty + 4, p = (blockIdx.y >> 5) * 32 + 4;
    int i = (p * w + r) * w + c;
    float v[9];
    for (int k = 0; k < 8; k++) v[k + 1] = x[i + (k - 4) * ww];
    for (int q = 0; q < 32; q++, i += ww) {
        for (int k = 0; k < 8; k++) v[k] = v[k + 1];
        v[8] = x[i + 4 * ww];
        __syncthreads();
        t[ty + 4][tx + 4] = v[4];
        if (ty < 4) {
            t[ty][tx + 4] = x[i - 4 * w];
            t[ty + 12][tx + 4] = x[i + 8 * w];
        }
        if (tx < 4) {
            t[ty + 4][tx] = x[i - 4];
            t[ty + 4][tx + 36] = x[i + 32];
        }
        __syncthreads();
        const float *a = &t[ty + 4][tx + 4];
        float s = 3 * C0 * v[4];
        s += C1 * (a[-1] + a[1] + a[-40] + a[40] + v[3] + v[5]);
        s += C2 * (a[-2] + a[2] + a[-80] + a[80] + v[2] + v[6]);
        s += C3 * (a[-3] + a[3] + a[-120] + a[120] + v[1] + v[7]);
        s += C4 * (a[-4] + a[4] + a[-160] + a[160] + v[0] + v[8]);
        y[i] = 2 * v[4] - z[i] + 0.1f * s;
    }
}

// ---- distances: the sum of differences of each of n vectors with each of n others, 128 numbers each
KERNEL cities_global(const float *x, float *y, int n) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    const float *a = x + r * 128, *b = x + n * 128 + c;
    float s = 0;
    for (int k = 0; k < 128; k++) s += fabsf(a[k] - b[k * n]);
    y[r * n + c] = s;
}
KERNEL cities_tiles(const float *x, float *y, int n) { // 32 by 32 a block, four a thread
    __shared__ float a[32][32], b[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 32 + tx, r = blockIdx.y * 32 + ty;
    float s[4] = {0, 0, 0, 0};
    for (int k = 0; k < 128; k += 32) {
        for (int q = 0; q < 32; q += 8) {
            a[ty + q][tx] = x[(r + q) * 128 + k + tx];
            b[ty + q][tx] = x[n * 128 + (k + ty + q) * n + c];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float v = b[j][tx];
            for (int q = 0; q < 4; q++) s[q] += fabsf(a[ty + q * 8][j] - v);
        }
        __syncthreads();
    }
    for (int q = 0; q < 4; q++) y[(r + q * 8) * n + c] = s[q];
}

// ---- sales: the sum of each of 64 shops
KERNEL shops_global(const float *x, const byte *d, u *y, int n) {
    int i = INDEX;
    if (i < n) atomicAdd(&y[d[i] & 63], (u)(x[i] * 100));
}
KERNEL shops_shared(const float *x, const byte *d, u *y, int n) {
    __shared__ u s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i] & 63], (u)(x[i] * 100));
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&y[threadIdx.x], s[threadIdx.x]);
}

// ---- scaling: rows of 256 to the span from 0 to 1
KERNEL spans_shared(const float *x, float *y) { // a row a block
    __shared__ float lo[256], hi[256];
    int t = threadIdx.x;
    float v = x[INDEX];
    lo[t] = hi[t] = v;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (t < k) {
            lo[t] = fminf(lo[t], lo[t + k]);
            hi[t] = fmaxf(hi[t], hi[t + k]);
        }
        __syncthreads();
    }
    y[INDEX] = (v - lo[0]) / (hi[0] - lo[0] + 1e-6f);
}
KERNEL spans_shuffled(const float *x, float *y) { // a row a warp
    int first = (INDEX >> 5) * 256 + (threadIdx.x & 31);
    float v[8], lo = 1e30f, hi = -1e30f;
    for (int k = 0; k < 8; k++) {
        v[k] = x[first + k * 32];
        lo = fminf(lo, v[k]);
        hi = fmaxf(hi, v[k]);
    }
    for (int k = 16; k; k /= 2) {
        lo = fminf(lo, __shfl_xor_sync(~0u, lo, k));
        hi = fmaxf(hi, __shfl_xor_sync(~0u, hi, k));
    }
    for (int k = 0; k < 8; k++) y[first + k * 32] = (v[k] - lo) / (hi - lo + 1e-6f);
}

// ---- pictures: one laid over another, n bytes each
__device__ __forceinline__ u blend(u a, u b, int alpha) {
    u t = a * alpha + b * (255 - alpha) + 128;
    return (t + (t >> 8)) >> 8;
}
KERNEL blend_bytes(const byte *d, byte *y, int n, int alpha) {
    int i = INDEX;
    if (i < n) y[i] = (byte)blend(d[i], d[i + n], alpha);
}
__device__ __forceinline__ u blend_word(u a, u b, int alpha) {
    u o = 0;
    for (int k = 0; k < 32; k += 8) o |= blend(a >> k & 255, b >> k & 255, alpha) << k;
    return o;
}
KERNEL blend_wide(const uint4 *d, uint4 *y, int n, int alpha) {
    int i = INDEX;
    if (i >= n / 16) return;
    uint4 a = d[i], b = d[i + n / 16];
    y[i] = make_uint4(blend_word(a.x, b.x, alpha), blend_word(a.y, b.y, alpha), blend_word(a.z, b.z, alpha), blend_word(a.w, b.w, alpha));
}

// ---- cosines: frames of 64 samples to 64 pitches, a pitch a thread
KERNEL cosines_computed(const float *x, float *y) {
    int i = INDEX, k = i & 63;
    const float *a = x + (i & ~63);
    float s = 0;
    for (int j = 0; j < 64; j++) s += a[j] * cospif((2 * j + 1) * k * (1 / 128.0f));
    y[i] = s;
}
KERNEL cosines_table(const float *x, float *y) {
    __shared__ float t[256];
    t[threadIdx.x] = cospif(threadIdx.x * (1 / 128.0f));
    __syncthreads();
    int i = INDEX, k = i & 63;
    const float *a = x + (i & ~63);
    float s = 0;
    for (int j = 0; j < 64; j++) s += a[j] * t[(2 * j + 1) * k & 255];
    y[i] = s;
}

// ---- gases: van der Waals' volume of a pressure and a temperature, eight of Newton's steps
template <class real> __device__ __forceinline__ void gas(const float *x, float *y, int n) {
    int i = INDEX;
    if (i >= n) return;
    real a = (real)1.37, b = (real)0.0387, p = x[i] + 1, t = (real)0.08206 * (x[i + n] + 250), v = t / p + b;
    for (int k = 0; k < 8; k++) {
        real w = 1 / v, q = a * w * w;
        real f = (p + q) * (v - b) - t, g = p - q + 2 * q * b * w;
        v -= f / g;
    }
    y[i] = (float)v;
}
KERNEL gas_double(const float *x, float *y, int n) { gas<double>(x, y, n); }
KERNEL gas_float(const float *x, float *y, int n) { gas<float>(x, y, n); }

// ---- tensors: pictures of h by w by c numbers, rolled down and right
KERNEL roll_divided(const float *x, float *y, int c, int w, int h, int down, int right) {
    int i = INDEX, k = i % c, q = i / c % w, r = i / (c * w) % h, b = i / (c * w * h);
    q = (q + right) % w;
    r = (r + down) % h;
    y[((b * h + r) * w + q) * c + k] = x[i];
}
KERNEL roll_shifted(const float *x, float *y, int c, int w, int h, int down, int right) { // the sizes are powers of two
    int i = INDEX, k = i & ((1 << c) - 1), q = i >> c & ((1 << w) - 1), r = i >> (c + w) & ((1 << h) - 1), b = i >> (c + w + h);
    q = (q + right) & ((1 << w) - 1);
    r = (r + down) & ((1 << h) - 1);
    y[((((b << h) + r) << w) + q << c) + k] = x[i];
}

// ---- density: n soft balls over a map, a point a thread or four
KERNEL density_single(const float4 *x, float *y, int w, int n) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    float px = c * 0.14f, py = r * 0.14f, s = 0;
    for (int k = 0; k < n; k++) {
        float4 v = x[k];
        float dx = v.x - px, dy = v.y - py, t = fmaxf(0, 1 - 0.001f * (dx * dx + dy * dy + v.z));
        s += v.w * t * t;
    }
    y[r * w + c] = s;
}
KERNEL density_four(const float4 *x, float *y, int w, int n) {
    int c = blockIdx.x * 128 + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    float px = c * 0.14f, py = r * 0.14f, s[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k++) {
        float4 v = x[k];
        float dx = v.x - px, dy = v.y - py, e = dy * dy + v.z;
        for (int q = 0; q < 4; q++) {
            float t = fmaxf(0, 1 - 0.001f * (dx * dx + e));
            s[q] += v.w * t * t;
            dx -= 32 * 0.14f;
        }
    }
    for (int q = 0; q < 4; q++) y[r * w + c + 32 * q] = s[q];
}

// ---- signals: how alike two of n samples are, a part a thread, one load of each at a time or eight
KERNEL alike_single(const float *x, float *y, int n) {
    int step = gridDim.x * blockDim.x;
    float s = 0;
#pragma unroll 1
    for (int i = INDEX; i < n; i += step) s += (x[i] - 71) * (x[i + n] - 71);
    y[INDEX] = s;
}
KERNEL alike_eight(const float *x, float *y, int n) { // n is a multiple of eight steps
    int step = gridDim.x * blockDim.x;
    float s = 0;
#pragma unroll 1
    for (int i = INDEX; i < n; i += 8 * step) {
        float a[8], b[8];
        for (int k = 0; k < 8; k++) a[k] = x[i + k * step], b[k] = x[i + k * step + n];
        for (int k = 0; k < 8; k++) s += (a[k] - 71) * (b[k] - 71);
    }
    y[INDEX] = s;
}

// ---- tracks: many of n samples mixed to one; the gains come after the tracks
KERNEL mix_few(const float *x, float *y, int n, int tracks) { // a sample a thread
    int i = INDEX;
    const float *gain = x + n * tracks;
    float s = 0;
    for (int k = 0; k < tracks; k++) s += gain[k] * x[k * n + i];
    y[i] = s;
}
KERNEL mix_many(const float *x, float *y, int n, int tracks) { // a sample eight threads
    __shared__ float t[8][32];
    int i = blockIdx.x * 32 + threadIdx.x;
    const float *gain = x + n * tracks;
    float s = 0;
    for (int k = threadIdx.y; k < tracks; k += 8) s += gain[k] * x[k * n + i];
    t[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y) return;
    for (int k = 1; k < 8; k++) s += t[k][threadIdx.x];
    y[i] = s;
}

// ---- curves: straight between two of 2^20 points, blocks of 32 or of 256
__device__ __forceinline__ void curve(const float *x, const u *d, float *y) {
    int i = INDEX;
    u v = d[i], k = v >> 12;
    float a = x[k], b = x[k + 1];
    y[i] = a + (b - a) * ((v & 4095) * (1 / 4096.0f));
}
KERNEL curve_small(const float *x, const u *d, float *y) { curve(x, d, y); }
KERNEL curve_large(const float *x, const u *d, float *y) { curve(x, d, y); }

// ---- film: bright light to a screen's
KERNEL tone_exact(const float *x, float *y) {
    int i = INDEX;
    float v = x[i] * 0.1f, a = v * (2.51f * v + 0.03f), b = v * (2.43f * v + 0.59f) + 0.14f;
    y[i] = powf(a / b, 0.45454545f);
}
KERNEL tone_fast(const float *x, float *y) {
    int i = INDEX;
    float v = x[i] * 0.1f, a = v * (2.51f * v + 0.03f), b = v * (2.43f * v + 0.59f) + 0.14f;
    y[i] = __powf(__fdividef(a, b), 0.45454545f);
}

// ---- scans of bodies: slices of n points seen through from the front, sums kept in memory or in registers
KERNEL slices_memory(const float *x, float *y, int n, int slices) {
    int i = INDEX;
    y[i] = 0;
    y[i + n] = 1;
    for (int k = 0; k < slices; k++) {
        float a = x[k * n + i] * 0.001f;
        y[i] += y[i + n] * a * x[k * n + i];
        y[i + n] *= 1 - a;
    }
}
KERNEL slices_registers(const float *x, float *y, int n, int slices) {
    int i = INDEX;
    float s = 0, left = 1;
    for (int k = 0; k < slices; k++) {
        float v = x[k * n + i], a = v * 0.001f;
        s += left * a * v;
        left *= 1 - a;
    }
    y[i] = s;
    y[i + n] = left;
}

// ---- telephony: samples to a byte each by the mu law, 32 a thread, beside one another or spread
template <bool spread> __device__ __forceinline__ void law(const float *x, byte *y) {
    int i = INDEX, all = gridDim.x * blockDim.x;
    for (int k = 0; k < 32; k++) {
        int at = spread ? k * all + i : i * 32 + k;
        float v = x[at] * (1 / 71.0f) - 1, e = __log2f(1 + 255 * fminf(fabsf(v), 1.0f)) * (127 / 8.0f);
        y[at] = (byte)((int)e | (v < 0 ? 128 : 0));
    }
}
KERNEL law_chunks(const float *x, byte *y) { law<false>(x, y); }
KERNEL law_spread(const float *x, byte *y) { law<true>(x, y); }
