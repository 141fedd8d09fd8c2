// Pairs of kernels, a computation as first written and as improved for one textbook reason, from crafts that the other tables do not have, by somebody who
// did not know the model; their times were modelled and then measured, once. Every kernel takes what its row in crafts.def says.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx crafts.cu
typedef unsigned u;
typedef unsigned char byte;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// ---- spline: joint angles of a robot along a cubic B-spline; control points picked from an indexed array or from registers
KERNEL spline_indexed(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    float c[16];
    for (int k = 0; k < 16; k++) c[k] = x[k * n + i];
    float start = x[16 * n + i] * (1 / 143.0f);
    for (int j = 0; j < 8; j++) {
        float t = start * (j + 1) * (13 / 8.0f);
        int s = (int)t;
        float f = t - s, f2 = f * f, f3 = f2 * f, g = 1 - f;
        y[j * n + i] = (g * g * g * c[s] + (3 * f3 - 6 * f2 + 4) * c[s + 1] +
                        (3 * (f2 + f - f3) + 1) * c[s + 2] + f3 * c[s + 3]) * (1 / 6.0f);
    }
}
KERNEL spline_registers(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    float c[16];
#pragma unroll
    for (int k = 0; k < 16; k++) c[k] = x[k * n + i];
    float start = x[16 * n + i] * (1 / 143.0f);
#pragma unroll
    for (int j = 0; j < 8; j++) {
        float t = start * (j + 1) * (13 / 8.0f);
        int s = (int)t;
        float p[16];
#pragma unroll
        for (int k = 0; k < 16; k++) p[k] = c[k];
#pragma unroll
        for (int step = 8; step; step /= 2)  // p[0..3] become c[s..s + 3]
#pragma unroll
            for (int k = 0; k < step + 3 && k + step < 16; k++) p[k] = s & step ? p[k + step] : p[k];
        float f = t - s, f2 = f * f, f3 = f2 * f, g = 1 - f;
        y[j * n + i] = (g * g * g * p[0] + (3 * f3 - 6 * f2 + 4) * p[1] +
                        (3 * (f2 + f - f3) + 1) * p[2] + f3 * p[3]) * (1 / 6.0f);
    }
}

// ---- geodesy: latitude, longitude and height to earth-centred coordinates; in double or in float
KERNEL geodesy_double(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    const double radian = 3.14159265358979323846 / 180;
    double lat = (x[i] * 1.2587 - 90) * radian, lon = (x[n + i] * 2.5174 - 180) * radian, h = x[2 * n + i];
    double e2 = 0.00669437999014, s = sin(lat), c = cos(lat);
    double r = 6378137.0 / sqrt(1 - e2 * s * s);
    y[i] = (r + h) * c * cos(lon);
    y[n + i] = (r + h) * c * sin(lon);
    y[2 * n + i] = (r * (1 - e2) + h) * s;
}
KERNEL geodesy_float(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    const float radian = 3.14159265f / 180;
    float lat = (x[i] * 1.2587f - 90) * radian, lon = (x[n + i] * 2.5174f - 180) * radian, h = x[2 * n + i];
    float e2 = 0.00669437999f, s, c, sl, cl;
    sincosf(lat, &s, &c);
    sincosf(lon, &sl, &cl);
    float r = 6378137.0f * rsqrtf(1 - e2 * s * s);
    y[i] = (r + h) * c * cl;
    y[n + i] = (r + h) * c * sl;
    y[2 * n + i] = (r * (1 - e2) + h) * s;
}

// ---- photometry: light of a star less its sky, in a box of 16 x 16 pixels; a thread or a warp to a star
KERNEL photometry_thread(const float *x, const u *d, float *y, u stars) {
    u i = INDEX;
    if (i >= stars) return;
    int cx = min(max((int)(d[i] & 4095), 8), 4087), cy = min(max((int)(d[i] >> 12 & 4095), 8), 4087);
    float star = 0, sky = 0;
    for (int dy = -8; dy < 8; dy++)
        for (int dx = -8; dx < 8; dx++) {
            float v = x[(cy + dy) * 4096 + cx + dx];
            if (dx * dx + dy * dy <= 49) star += v; else sky += v;
        }
    y[i] = star - sky * (149 / 107.0f);
}
KERNEL photometry_warp(const float *x, const u *d, float *y, u stars) {
    u i = INDEX >> 5;
    int lane = threadIdx.x & 31;
    if (i >= stars) return;
    u place = d[i];
    int cx = min(max((int)(place & 4095), 8), 4087), cy = min(max((int)(place >> 12 & 4095), 8), 4087);
    int dx = (lane & 15) - 8;
    float star = 0, sky = 0;
#pragma unroll
    for (int k = 0; k < 16; k += 2) {
        int dy = k + (lane >> 4) - 8;
        float v = x[(cy + dy) * 4096 + cx + dx];
        bool in = dx * dx + dy * dy <= 49;
        star += in ? v : 0;
        sky += in ? 0 : v;
    }
    float net = star - sky * (149 / 107.0f);
    for (int k = 16; k; k >>= 1) net += __shfl_down_sync(~0u, net, k);
    if (lane == 0) y[i] = net;
}

// ---- mfcc: mel filters of speech spectra; bins gathered from global memory or from a frame held in shared memory
__constant__ int mel[34] = {0, 2, 4, 6, 8, 10, 12, 14, 17, 20, 23, 26, 30, 34, 38, 43, 48, 54, 60, 67, 74, 82, 90, 99,
                            109, 120, 132, 145, 159, 174, 190, 208, 230, 255};
KERNEL mfcc_global(const float *x, float *y) {
    u f = threadIdx.x, frame = blockIdx.x * blockDim.y + threadIdx.y;
    int lo = mel[f], mid = mel[f + 1], hi = mel[f + 2];
    float up = 1.0f / (mid - lo), down = 1.0f / (hi - mid), sum = 0;
    for (int b = lo; b < hi; b++)
        sum += x[frame * 256 + b] * (b < mid ? (b - lo) * up : (hi - b) * down);
    y[frame * 32 + f] = logf(1 + sum);
}
KERNEL mfcc_tiled(const float *x, float *y) {
    __shared__ float spectrum[8][256];
    u f = threadIdx.x, row = threadIdx.y, frame = blockIdx.x * blockDim.y + row;
    for (u b = f; b < 256; b += 32) spectrum[row][b] = x[frame * 256 + b];
    __syncthreads();
    int lo = mel[f], mid = mel[f + 1], hi = mel[f + 2];
    float up = 1.0f / (mid - lo), down = 1.0f / (hi - mid), sum = 0;
    for (int b = lo; b < hi; b++)
        sum += spectrum[row][b] * (b < mid ? (b - lo) * up : (hi - b) * down);
    y[frame * 32 + f] = logf(1 + sum);
}

// ---- sudoku: digits still free for each cell; divisions by sizes given at run time or known when compiled
KERNEL sudoku_any(const byte *d, u *y, u cells, u size, u box) {
    u i = INDEX;
    if (i >= cells) return;
    u cell = i % (size * size), row = cell / size, col = cell % size;
    const byte *board = d + i / (size * size) * (size * size);
    u used = 0;
    for (u k = 0; k < size; k++) {
        used |= 1u << board[row * size + k] % size;
        used |= 1u << board[k * size + col] % size;
        used |= 1u << board[(row / box * box + k / box) * size + col / box * box + k % box] % size;
    }
    y[i] = ~used & ((1u << size) - 1);
}
KERNEL sudoku_nine(const byte *d, u *y, u cells) {
    u i = INDEX;
    if (i >= cells) return;
    u cell = i % 81, row = cell / 9, col = cell % 9;
    const byte *board = d + (i - cell);
    u used = 0;
#pragma unroll
    for (u k = 0; k < 9; k++) {
        used |= 1u << board[row * 9 + k] % 9;
        used |= 1u << board[k * 9 + col] % 9;
        used |= 1u << board[(row / 3 * 3 + k / 3) * 9 + col / 3 * 3 + k % 3] % 9;
    }
    y[i] = ~used & 511;
}

// ---- mulaw: telephone samples expanded by a table of 256; in constant or in shared memory
struct Mulaw {
    float v[256];
    constexpr Mulaw() : v() {
        for (int k = 0; k < 256; k++) {
            int c = 255 - k, m = ((((c & 15) << 3) + 132) << (c >> 4 & 7)) - 132;
            v[k] = (c & 128 ? -m : m) / 32768.0f;
        }
    }
};
__constant__ constexpr Mulaw mulaw;
KERNEL mulaw_constant(const uchar4 *d, float4 *y, u n) {
    for (u i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        uchar4 s = d[i];
        y[i] = make_float4(mulaw.v[s.x], mulaw.v[s.y], mulaw.v[s.z], mulaw.v[s.w]);
    }
}
KERNEL mulaw_shared(const uchar4 *d, float4 *y, u n) {
    __shared__ float table[256];
    table[threadIdx.x] = mulaw.v[threadIdx.x];
    __syncthreads();
    for (u i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        uchar4 s = d[i];
        y[i] = make_float4(table[s.x], table[s.y], table[s.z], table[s.w]);
    }
}

// ---- utf8: characters in texts of 4096 bytes; an atomic addition by each thread or by each warp
__device__ inline int heads(u word) {
    int count = 0;
    for (int k = 0; k < 32; k += 8) count += (word >> k & 0xC0) != 0x80;
    return count;
}
KERNEL utf8_thread(const u *d, int *y, u words) {
    u i = INDEX;
    if (i < words) atomicAdd(y + i / 1024, heads(d[i]));
}
KERNEL utf8_warp(const u *d, int *y, u words) {
    u i = INDEX;
    int count = __reduce_add_sync(~0u, i < words ? heads(d[i]) : 0);
    if (threadIdx.x % 32 == 0 && i < words) atomicAdd(y + i / 1024, count);
}

// ---- viterbi: survivors of a 64-state decoder; path metrics in shared memory with barriers or shuffled in a warp
KERNEL viterbi_shared(const byte *d, u *y, u steps) {
    __shared__ int metric[2][64];
    u s = threadIdx.x, frame = blockIdx.x;
    const byte *soft = d + frame * steps * 2;
    int m0 = __popc(s & 0133) & 1 ? 255 : 0, m1 = __popc(s & 0171) & 1 ? 255 : 0;
    metric[0][s] = 0;
    __syncthreads();
    for (u t = 0; t < steps; t++) {
        int cost = (soft[2 * t] ^ m0) + (soft[2 * t + 1] ^ m1);
        int a = metric[t & 1][s >> 1] + cost, b = metric[t & 1][32 + (s >> 1)] + 510 - cost;
        metric[t & 1 ^ 1][s] = min(a, b);
        u word = __ballot_sync(~0u, b < a);
        if ((s & 31) == 0) y[(frame * steps + t) * 2 + (s >> 5)] = word;
        __syncthreads();
    }
}
KERNEL viterbi_shuffle(const byte *d, u *y, u steps) {
    u s = threadIdx.x & 31, frame = INDEX >> 5;
    const byte *soft = d + frame * steps * 2;
    int m0 = __popc(s & 0133) & 1 ? 255 : 0, m1 = __popc(s & 0171) & 1 ? 255 : 0;
    int n0 = __popc((s | 32) & 0133) & 1 ? 255 : 0, n1 = __popc((s | 32) & 0171) & 1 ? 255 : 0;
    int low = 0, high = 0;
    for (u t = 0; t < steps; t++) {
        int p = soft[2 * t], q = soft[2 * t + 1];
        int c = (p ^ m0) + (q ^ m1), e = (p ^ n0) + (q ^ n1);
        int a0 = __shfl_sync(~0u, low, s >> 1) + c, b0 = __shfl_sync(~0u, high, s >> 1) + 510 - c;
        int a1 = __shfl_sync(~0u, low, 16 + (s >> 1)) + e, b1 = __shfl_sync(~0u, high, 16 + (s >> 1)) + 510 - e;
        low = min(a0, b0);
        high = min(a1, b1);
        u w0 = __ballot_sync(~0u, b0 < a0), w1 = __ballot_sync(~0u, b1 < a1);
        if (s < 2) y[(frame * steps + t) * 2 + s] = s ? w1 : w0;
    }
}

// ---- kalman: update of tracks by a measurement; tracks as structures or as separate rows of numbers
struct Track { float pos, vel, p00, p01, p11, seen, noise, dt; };
struct Estimate { float pos, vel, p00, p01, p11; };
__device__ inline Estimate kalman(Track t) {
    float dt = t.dt * 0.01f;
    float pos = t.pos + dt * t.vel;
    float p00 = t.p00 + dt * (2 * t.p01 + dt * t.p11) + 1, p01 = t.p01 + dt * t.p11, p11 = t.p11 + 0.1f;
    float inv = 1 / (p00 + t.noise + 1), k0 = p00 * inv, k1 = p01 * inv, off = t.seen - pos;
    return {pos + k0 * off, t.vel + k1 * off, p00 - k0 * p00, p01 - k0 * p01, p11 - k1 * p01};
}
KERNEL kalman_structs(const Track *x, Estimate *y, u n) {
    u i = INDEX;
    if (i < n) y[i] = kalman(x[i]);
}
KERNEL kalman_rows(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    Estimate e = kalman({x[i], x[n + i], x[2 * n + i], x[3 * n + i], x[4 * n + i], x[5 * n + i], x[6 * n + i],
                         x[7 * n + i]});
    y[i] = e.pos;
    y[n + i] = e.vel;
    y[2 * n + i] = e.p00;
    y[3 * n + i] = e.p01;
    y[4 * n + i] = e.p11;
}

// ---- clouds: vapour pressure over ice (odd cells) and water (even cells); both kinds in each warp or one kind to a warp
__device__ inline float ice(float t) {
    return expf(9.550426f - 5723.265f / t + 3.53068f * logf(t) - 0.00728332f * t);
}
__device__ inline float water(float t) {
    float w = tanhf(0.0415f * (t - 218.8f));
    return expf(54.842763f - 6763.22f / t - 4.21f * logf(t) + 0.000367f * t +
                w * (53.878f - 1331.22f / t - 9.44523f * logf(t) + 0.014025f * t));
}
KERNEL clouds_mixed(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    float t = 230 + 0.3f * x[i];
    if (i & 1) y[i] = ice(t); else y[i] = water(t);
}
KERNEL clouds_sorted(const float *x, float *y, u n) {
    u lane = threadIdx.x & 31, warp = INDEX >> 5, i = (warp >> 1) * 64 + 2 * lane + (warp & 1);
    if (i >= n) return;
    float t = 230 + 0.3f * x[i];
    if (warp & 1) y[i] = ice(t); else y[i] = water(t);
}

// ---- arrhenius: rates of eight reactions of a flame; a power and an exponential each, or one exponential of logarithms
struct Reaction { float a, b, e; };
__constant__ Reaction reactions[8] = {{1e3f, 0.5f, 2e4f}, {5e2f, 1.2f, 6e4f}, {2e4f, -0.7f, 3e4f}, {1e5f, -1.0f, 9e4f},
                                      {3e1f, 1.5f, 8e4f}, {8e6f, -1.4f, 1.2e5f}, {4e2f, 0.9f, 5e4f}, {6e3f, 0.3f, 1e5f}};
__constant__ Reaction logarithms[8] = {{6.907755f, 0.5f, 2405.58f}, {6.214608f, 1.2f, 7216.74f},
                                       {9.903488f, -0.7f, 3608.37f}, {11.512925f, -1.0f, 10825.11f},
                                       {3.401197f, 1.5f, 9622.32f}, {15.894952f, -1.4f, 14433.49f},
                                       {5.991465f, 0.9f, 6013.95f}, {8.699515f, 0.3f, 12027.91f}};
KERNEL arrhenius_powers(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    float t = 1000 + 10 * x[i], p = x[n + i], q = x[2 * n + i], sum = 0;
    for (int r = 0; r < 8; r++) {
        Reaction c = reactions[r];
        float rate = c.a * powf(t, c.b) * expf(-c.e / (8.314f * t));
        sum += rate * (r & 1 ? p : p * q);
    }
    y[i] = sum;
}
KERNEL arrhenius_logarithms(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    float t = 1000 + 10 * x[i], p = x[n + i], q = x[2 * n + i], sum = 0;
    float l = __logf(t), inv = __fdividef(1, t);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        Reaction c = logarithms[r];
        float rate = __expf(c.a + c.b * l - c.e * inv);
        sum += rate * (r & 1 ? p : p * q);
    }
    y[i] = sum;
}

// ---- radiation: light coming down through the layers of air columns; a layer read when needed or eight read ahead
KERNEL radiation_step(const float *x, float *y, u columns, u layers) {
    u i = INDEX;
    if (i >= columns) return;
    float light = 100;
    for (u l = 0; l < layers; l++) {
        float pass = __expf(-0.01f * x[l * columns + i]), glow = x[(layers + l) * columns + i];
        light = light * pass + glow * (1 - pass);
        y[l * columns + i] = light;
    }
}
KERNEL radiation_ahead(const float *__restrict__ x, float *__restrict__ y, u columns, u layers) {
    u i = INDEX;
    if (i >= columns) return;
    float light = 100;
    for (u l = 0; l < layers; l += 8) {
        float depth[8], glow[8];
#pragma unroll
        for (u k = 0; k < 8; k++) {
            depth[k] = x[(l + k) * columns + i];
            glow[k] = x[(layers + l + k) * columns + i];
        }
#pragma unroll
        for (u k = 0; k < 8; k++) {
            float pass = __expf(-0.01f * depth[k]);
            light = light * pass + glow[k] * (1 - pass);
            y[(l + k) * columns + i] = light;
        }
    }
}

// ---- tides: moving averages of 32 gauge readings; one average a thread or eight by a sliding sum
KERNEL tides_one(const float *x, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += x[i + k];
    y[i] = sum / 32;
}
KERNEL tides_eight(const float4 *x, float4 *y, u n) {
    u i = INDEX;
    if (i >= n / 8) return;
    float v[40], out[8], sum = 0;
#pragma unroll
    for (int k = 0; k < 10; k++) {
        float4 f = x[2 * i + k];
        v[4 * k] = f.x, v[4 * k + 1] = f.y, v[4 * k + 2] = f.z, v[4 * k + 3] = f.w;
    }
#pragma unroll
    for (int k = 0; k < 32; k++) sum += v[k];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        out[k] = sum * (1 / 32.0f);
        sum += v[k + 32] - v[k];
    }
    y[2 * i] = make_float4(out[0], out[1], out[2], out[3]);
    y[2 * i + 1] = make_float4(out[4], out[5], out[6], out[7]);
}

// ---- kmeans: nearest of 64 centres in 8 dimensions; a centre read from shared memory for one point or for four
KERNEL kmeans_one(const float *x, int *y, u n) {
    __shared__ float centre[64][8];
    for (u k = threadIdx.x; k < 512; k += blockDim.x) centre[k / 8][k % 8] = x[8 * n + k];
    __syncthreads();
    u i = INDEX;
    if (i >= n) return;
    float p[8], best = 1e30f;
    int label = 0;
    for (int j = 0; j < 8; j++) p[j] = x[j * n + i];
    for (int k = 0; k < 64; k++) {
        float sum = 0;
        for (int j = 0; j < 8; j++) {
            float off = p[j] - centre[k][j];
            sum += off * off;
        }
        if (sum < best) best = sum, label = k;
    }
    y[i] = label;
}
KERNEL kmeans_four(const float *x, int *y, u n) {
    __shared__ float centre[64][8];
    for (u k = threadIdx.x; k < 512; k += blockDim.x) centre[k / 8][k % 8] = x[8 * n + k];
    __syncthreads();
    u i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    if (i + 3 * blockDim.x >= n) return;
    float p[4][8], best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    int label[4] = {0, 0, 0, 0};
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int j = 0; j < 8; j++) p[a][j] = x[j * n + i + a * blockDim.x];
    for (int k = 0; k < 64; k++) {
        float sum[4] = {0, 0, 0, 0};
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float c = centre[k][j];
#pragma unroll
            for (int a = 0; a < 4; a++) {
                float off = p[a][j] - c;
                sum[a] += off * off;
            }
        }
#pragma unroll
        for (int a = 0; a < 4; a++)
            if (sum[a] < best[a]) best[a] = sum[a], label[a] = k;
    }
#pragma unroll
    for (int a = 0; a < 4; a++) y[i + a * blockDim.x] = label[a];
}

// ---- crossentropy: loss and its gradient over rows of 1024 scores; rows read three times or held in registers
__device__ inline float whole(float v, bool largest) {
    __shared__ float part[8];
    for (int k = 16; k; k >>= 1) {
        float o = __shfl_xor_sync(~0u, v, k);
        v = largest ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int k = 1; k < 8; k++) v = largest ? fmaxf(v, part[k]) : v + part[k];
    return v;
}
KERNEL crossentropy_passes(const float *x, const unsigned short *d, float *y, float *z, u cols) {
    u row = blockIdx.x, label = d[row] % cols;
    const float *score = x + row * cols;
    float top = -1e30f, sum = 0;
    for (u c = threadIdx.x; c < cols; c += blockDim.x) top = fmaxf(top, score[c]);
    top = whole(top, true);
    for (u c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(score[c] - top);
    sum = whole(sum, false);
    for (u c = threadIdx.x; c < cols; c += blockDim.x)
        y[row * cols + c] = expf(score[c] - top) / sum - (c == label);
    if (threadIdx.x == 0) z[row] = logf(sum) + top - score[label];
}
KERNEL crossentropy_registers(const float *x, const unsigned short *d, float *y, float *z) {
    u row = blockIdx.x, label = d[row] % 1024;
    const float *score = x + row * 1024;
    float v[4], top = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) top = fmaxf(top, v[k] = score[threadIdx.x + 256 * k]);
    top = whole(top, true);
#pragma unroll
    for (int k = 0; k < 4; k++) sum += v[k] = expf(v[k] - top);
    sum = whole(sum, false);
    float inv = 1 / sum;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        u c = threadIdx.x + 256 * k;
        y[row * 1024 + c] = v[k] * inv - (c == label);
    }
    if (threadIdx.x == 0) z[row] = logf(sum) + top - score[label];
}

// ---- attention: scores of 32 queries and 32 keys of length 32; keys in shared rows of 32 (bank conflicts) or of 33 floats
KERNEL attention_plain(const float *x, float *y, u windows) {
    __shared__ float q[32][32], k[32][32];
    u tx = threadIdx.x, base = blockIdx.x * 1024;
    for (u r = threadIdx.y; r < 32; r += 8) {
        q[r][tx] = x[base + r * 32 + tx];
        k[r][tx] = x[windows * 1024 + base + r * 32 + tx];
    }
    __syncthreads();
    for (u r = threadIdx.y; r < 32; r += 8) {
        float sum = 0;
        for (int c = 0; c < 32; c++) sum += q[r][c] * k[tx][c];
        y[base + r * 32 + tx] = sum * 0.17677670f;
    }
}
KERNEL attention_padded(const float *x, float *y, u windows) {
    __shared__ float q[32][32], k[32][33];
    u tx = threadIdx.x, base = blockIdx.x * 1024;
    for (u r = threadIdx.y; r < 32; r += 8) {
        q[r][tx] = x[base + r * 32 + tx];
        k[r][tx] = x[windows * 1024 + base + r * 32 + tx];
    }
    __syncthreads();
    for (u r = threadIdx.y; r < 32; r += 8) {
        float sum = 0;
        for (int c = 0; c < 32; c++) sum += q[r][c] * k[tx][c];
        y[base + r * 32 + tx] = sum * 0.17677670f;
    }
}

// ---- orbits: risk of satellites from 0 to 63 pieces of debris each; a list walked by one thread or by eight lanes
KERNEL orbits_thread(const float *x, const byte *d, float *y, u n) {
    u i = INDEX;
    if (i >= n) return;
    u count = d[i] & 63;
    float risk = 0;
    for (u j = 0; j < count; j++) {
        float v = x[i * 64 + j];
        risk += rsqrtf(1 + v * v);
    }
    y[i] = risk;
}
KERNEL orbits_lanes(const float *x, const byte *d, float *y, u n) {
    u i = INDEX >> 3, lane = threadIdx.x & 7;
    if (i >= n) return;
    u count = d[i] & 63;
    float risk = 0;
    for (u j = lane; j < count; j += 8) {
        float v = x[i * 64 + j];
        risk += rsqrtf(1 + v * v);
    }
    for (int k = 4; k; k >>= 1) risk += __shfl_xor_sync(~0u, risk, k);
    if (lane == 0) y[i] = risk;
}

// ---- motifs: mismatches of eight DNA letters at each place; bytes read one by one or sixteen places by vector loads
KERNEL motifs_bytes(const byte *d, byte *y, u n, u motif) {
    u i = INDEX;
    if (i >= n) return;
    u wrong = 0;
    for (int k = 0; k < 8; k++) wrong += (d[i + k] & 3) != (motif >> 2 * k & 3);
    y[i] = wrong;
}
KERNEL motifs_vectors(const uint4 *d, uint4 *y, u n, u motif) {
    u i = INDEX;
    if (i >= n / 16) return;
    uint4 a = d[i];
    uint2 b = *(const uint2 *)(d + i + 1);
    u w[6] = {a.x, a.y, a.z, a.w, b.x, b.y}, wrong[4] = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 8; k++) {
        u letter = (motif >> 2 * k & 3) * 0x01010101u;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            u v = __funnelshift_r(w[j + k / 4], w[j + k / 4 + 1], k % 4 * 8) ^ letter;
            wrong[j] += (v | v >> 1) & 0x01010101u;
        }
    }
    y[i] = make_uint4(wrong[0], wrong[1], wrong[2], wrong[3]);
}

// ---- codons: evenness of the use of 64 codons in each gene; a thread's counters as 64 ints or 64 bytes of shared memory
KERNEL codons_ints(const u *d, u *y, u genes, u words) {
    extern __shared__ u ints[];
    u i = INDEX, t = threadIdx.x;
    for (u c = 0; c < 64; c++) ints[c * blockDim.x + t] = 0;
    for (u k = 0; k < words; k++) {
        u w = d[k * genes + i];
        for (int b = 0; b < 32; b += 8) ints[(w >> b & 63) * blockDim.x + t]++;
    }
    u sum = 0;
    for (u c = 0; c < 64; c++) {
        u m = ints[c * blockDim.x + t];
        sum += m * m;
    }
    y[i] = sum;
}
KERNEL codons_bytes(const u *d, u *y, u genes, u words) {
    extern __shared__ u fours[];
    byte *bytes = (byte *)fours;
    u i = INDEX, t = threadIdx.x;
    for (u c = 0; c < 16; c++) fours[c * blockDim.x + t] = 0;
    for (u k = 0; k < words; k++) {
        u w = d[k * genes + i];
        for (int b = 0; b < 32; b += 8) {
            u c = w >> b & 63;
            bytes[((c >> 2) * blockDim.x + t) * 4 + (c & 3)]++;
        }
    }
    u sum = 0;
    for (u c = 0; c < 16; c++) {
        u m = fours[c * blockDim.x + t];
        for (int b = 0; b < 32; b += 8) sum += (m >> b & 255) * (m >> b & 255);
    }
    y[i] = sum;
}

// ---- ocean: salinity smoothed over nine depths and four neighbours; depths read anew or kept while walking down
KERNEL ocean_points(const float *x, float *y, int nx, int ny) {
    int tiles = nx / 32, i = blockIdx.x % tiles * 32 + threadIdx.x, z = blockIdx.x / tiles;
    int j = blockIdx.y * blockDim.y + threadIdx.y, plane = nx * ny, at = j * nx + i;
    const float *p = x + z * plane + at;
    float c = p[4 * plane];
    float side = x[(z + 4) * plane + j * nx + max(i - 1, 0)] + x[(z + 4) * plane + j * nx + min(i + 1, nx - 1)] +
                 x[(z + 4) * plane + max(j - 1, 0) * nx + i] + x[(z + 4) * plane + min(j + 1, ny - 1) * nx + i];
    y[z * plane + at] = 0.3f * c + 0.08f * side + 0.08f * (p[3 * plane] + p[5 * plane]) +
                        0.06f * (p[2 * plane] + p[6 * plane]) + 0.03f * (p[plane] + p[7 * plane]) +
                        0.02f * (p[0] + p[8 * plane]);
}
KERNEL ocean_walk(const float *__restrict__ x, float *__restrict__ y, int nx, int ny) {
    int tiles = nx / 32, i = blockIdx.x % tiles * 32 + threadIdx.x, first = blockIdx.x / tiles * 16;
    int j = blockIdx.y * blockDim.y + threadIdx.y, plane = nx * ny, at = j * nx + i;
    int west = j * nx + max(i - 1, 0), east = j * nx + min(i + 1, nx - 1);
    int north = max(j - 1, 0) * nx + i, south = min(j + 1, ny - 1) * nx + i;
    float c[9];
#pragma unroll
    for (int k = 0; k < 8; k++) c[k + 1] = x[(first + k) * plane + at];
#pragma unroll
    for (int z = first, s = 0; s < 16; s++, z++) {
#pragma unroll
        for (int k = 0; k < 8; k++) c[k] = c[k + 1];
        c[8] = x[(z + 8) * plane + at];
        const float *level = x + (z + 4) * plane;
        float side = level[west] + level[east] + level[north] + level[south];
        y[z * plane + at] = 0.3f * c[4] + 0.08f * side + 0.08f * (c[3] + c[5]) + 0.06f * (c[2] + c[6]) +
                            0.03f * (c[1] + c[7]) + 0.02f * (c[0] + c[8]);
    }
}
