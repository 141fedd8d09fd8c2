// Pairs of kernels (some labs have three), a computation as first written and as improved for one textbook reason, from medicine, audio, finance, games, compression
// and databases, then from machine learning, graphs, physics, chemistry, linear algebra and geography, by two authors who did not know the model. Their times
// were modelled and then measured, once; then their reasons were looked for (docs/model-tables.md). Every kernel takes what its row in arts.def says.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx arts.cu
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

// ---- ecg: take the mean of 65 samples (baseline drift) away from each ECG sample; every thread sums its whole window, or a thread slides one running sum over 16 outputs staged in shared memory
KERNEL ecg_window(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int j = 0; j < 65; ++j) s += x[i + j];
    y[i] = x[i + 32] - s * (1.0f / 65.0f);
}

KERNEL ecg_running(const float* x, float* y, int n)
{
    __shared__ float in[2112 + 2112 / 16];
    __shared__ float out[2048 + 2048 / 16];
    int first = blockIdx.x * 2048;
    for (int k = threadIdx.x; k < 2112; k += 128) in[k + (k >> 4)] = x[first + k];
    __syncthreads();

    int a = threadIdx.x * 16;
    float s = 0.0f;
    for (int j = 0; j < 64; ++j) { int k = a + j; s += in[k + (k >> 4)]; }
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        int head = a + j + 64, mid = a + j + 32, tail = a + j;
        s += in[head + (head >> 4)];
        out[tail + (tail >> 4)] = in[mid + (mid >> 4)] - s * (1.0f / 65.0f);
        s -= in[tail + (tail >> 4)];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2048; k += 128)
        if (first + k < n) y[first + k] = out[k + (k >> 4)];
}

// ---- ct: back-project a sinogram on a square image; sine and cosine of each angle computed by every pixel, or once per block into shared memory
KERNEL ct_trig(const float* sino, float* image, int side, int angles, int detectors)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= side || py >= side) return;
    float fx = px - 0.5f * side, fy = py - 0.5f * side;
    float sum = 0.0f;
    for (int a = 0; a < angles; ++a) {
        float s, c;
        sincosf(a * (3.14159265f / angles), &s, &c);
        float t = fx * c + fy * s + 0.5f * detectors;
        int i = (int)t;
        float f = t - i;
        const float* row = sino + a * detectors;
        sum += row[i] * (1.0f - f) + row[i + 1] * f;
    }
    image[py * side + px] = sum;
}

KERNEL ct_table(const float* sino, float* image, int side, int angles, int detectors)
{
    __shared__ float2 turn[256];
    int tid = threadIdx.y * blockDim.x + threadIdx.x;
    if (tid < angles) {
        float s, c;
        sincosf(tid * (3.14159265f / angles), &s, &c);
        turn[tid] = make_float2(c, s);
    }
    __syncthreads();
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= side || py >= side) return;
    float fx = px - 0.5f * side, fy = py - 0.5f * side;
    float sum = 0.0f;
    for (int a = 0; a < angles; ++a) {
        float2 cs = turn[a];
        float t = fx * cs.x + fy * cs.y + 0.5f * detectors;
        int i = (int)t;
        float f = t - i;
        const float* row = sino + a * detectors;
        sum += row[i] * (1.0f - f) + row[i + 1] * f;
    }
    image[py * side + px] = sum;
}

// ---- mri: spread complex samples of radial spokes on a 512 x 512 grid, 4 x 4 cells a sample; two float atomics a cell, one float2 atomic a cell, or a thread per cell so that neighbouring lanes hit neighbouring cells
__device__ __forceinline__ float2 mri_place(int s)
{
    float turn = (s >> 9) * 1.94161104f;
    float r = ((s & 511) - 256) * 0.98f;
    float sn, cs;
    __sincosf(turn - 6.2831853f * floorf(turn * 0.15915494f), &sn, &cs);
    return make_float2(256.0f + r * cs, 256.0f + r * sn);
}

KERNEL mri_floats(const float* x, float* y, int samples)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= samples) return;
    float2 k = mri_place(s);
    float re = x[2 * s], im = x[2 * s + 1];
    int cx = (int)k.x - 1, cy = (int)k.y - 1;
    for (int j = 0; j < 4; ++j) {
        float wy = fmaxf(0.0f, 1.0f - 0.5f * fabsf(k.y - (cy + j)));
        for (int i = 0; i < 4; ++i) {
            float w = wy * fmaxf(0.0f, 1.0f - 0.5f * fabsf(k.x - (cx + i)));
            int cell = (cy + j) * 512 + cx + i;
            atomicAdd(&y[2 * cell], w * re);
            atomicAdd(&y[2 * cell + 1], w * im);
        }
    }
}

KERNEL mri_float2(const float2* x, float2* y, int samples)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= samples) return;
    float2 k = mri_place(s);
    float2 v = x[s];
    int cx = (int)k.x - 1, cy = (int)k.y - 1;
    for (int j = 0; j < 4; ++j) {
        float wy = fmaxf(0.0f, 1.0f - 0.5f * fabsf(k.y - (cy + j)));
        for (int i = 0; i < 4; ++i) {
            float w = wy * fmaxf(0.0f, 1.0f - 0.5f * fabsf(k.x - (cx + i)));
            atomicAdd(&y[(cy + j) * 512 + cx + i], make_float2(w * v.x, w * v.y));
        }
    }
}

KERNEL mri_lanes(const float2* x, float2* y, int samples)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int s = t >> 4, i = t & 3, j = (t >> 2) & 3;
    if (s >= samples) return;
    float2 k = mri_place(s);
    float2 v = x[s];
    int cx = (int)k.x - 1 + i, cy = (int)k.y - 1 + j;
    float w = fmaxf(0.0f, 1.0f - 0.5f * fabsf(k.y - cy)) * fmaxf(0.0f, 1.0f - 0.5f * fabsf(k.x - cx));
    atomicAdd(&y[cy * 512 + cx], make_float2(w * v.x, w * v.y));
}

// ---- pitch: a harmoniser, eight pitch-shifted copies of one recording added up; read position in double, or in 32.32 fixed point
KERNEL pitch_double(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int v = 0; v < 8; ++v) {
        double place = i * (1.0 + v * 0.0594630943592953);
        int k = (int)place;
        float f = (float)(place - k);
        sum += x[k] + f * (x[k + 1] - x[k]);
    }
    y[i] = sum * 0.125f;
}

KERNEL pitch_fixed(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int v = 0; v < 8; ++v) {
        unsigned long long place = (unsigned)i * (4294967296ull + v * 255392046ull);
        int k = (int)(place >> 32);
        float f = (unsigned)place * 2.3283064e-10f;
        sum += x[k] + f * (x[k + 1] - x[k]);
    }
    y[i] = sum * 0.125f;
}

// ---- reverb: feedback comb filter, delay 128, on many short channels; a thread per channel in time order, or a block per channel, whose 128 threads each follow one chain of the delay line
KERNEL reverb_channel(const float* x, float* y, int channels, int samples)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    const float* in = x + (size_t)c * samples;
    float* out = y + (size_t)c * samples;
    for (int n = 0; n < samples; ++n) {
        float w = in[n];
        if (n >= 128) w += 0.7f * out[n - 128];
        out[n] = w;
    }
}

KERNEL reverb_chain(const float* x, float* y, int channels, int samples)
{
    const float* in = x + (size_t)blockIdx.x * samples;
    float* out = y + (size_t)blockIdx.x * samples;
    float w = 0.0f;
    for (int n = threadIdx.x; n < samples; n += 128) {
        w = in[n] + 0.7f * w;
        out[n] = w;
    }
}

// ---- resample: sample rate 160 to 147 by a polyphase filter of 147 phases and 32 taps, filter rows in shared memory; rows of 32 words (bank conflicts), or padded to 33
template <int ROW> __device__ __forceinline__ void resample(const float* x, const float* coef, float* y)
{
    __shared__ float h[147 * ROW];
    for (int k = threadIdx.x; k < 147 * 32; k += 256) h[(k >> 5) * ROW + (k & 31)] = coef[k];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        unsigned n = blockIdx.x * 2048 + k * 256 + threadIdx.x;
        unsigned at = n * 160u / 147u, phase = n * 160u - at * 147u;
        const float* f = h + phase * ROW;
        float sum = 0.0f;
#pragma unroll 8
        for (int t = 0; t < 32; ++t) sum += f[t] * x[at + t];
        y[n] = sum;
    }
}

KERNEL resample_rows(const float* x, float* y, int coefs)
{
    resample<32>(x, x + coefs, y);
}

KERNEL resample_padded(const float* x, float* y, int coefs)
{
    resample<33>(x, x + coefs, y);
}

// ---- tree: American put on a binomial tree of 255 steps; a block per option with the values in shared memory and two barriers a step, or a warp per option, eight nodes a lane in registers and one shuffle a step
KERNEL tree_block(const float* x, float* y)
{
    __shared__ float value[257];
    int i = threadIdx.x;
    const float up = 1.01f, p = 0.4985f, disc = 0.9998f, strike = 100.0f;
    float price = (40.0f + x[blockIdx.x]) * __expf((2 * i - 255) * 0.00995033f);
    float v = fmaxf(strike - price, 0.0f);
    value[i] = v;
    for (int step = 255; step > 0; --step) {
        __syncthreads();
        float next = value[i + 1];
        __syncthreads();
        if (i < step) {
            price *= up;
            v = fmaxf(disc * (p * next + (1.0f - p) * v), strike - price);
            value[i] = v;
        }
    }
    if (i == 0) y[blockIdx.x] = v;
}

KERNEL tree_warp(const float* x, float* y, int count)
{
    int option = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (option >= count) return;
    const float up = 1.01f, p = 0.4985f, disc = 0.9998f, strike = 100.0f;
    float price[8], v[8];
    float spot = 40.0f + x[option];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        price[k] = spot * __expf((2 * (lane * 8 + k) - 255) * 0.00995033f);
        v[k] = fmaxf(strike - price[k], 0.0f);
    }
    for (int step = 255; step > 0; --step) {
        float over = __shfl_down_sync(0xffffffffu, v[0], 1);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float next = k < 7 ? v[k + 1] : over;
            price[k] *= up;
            v[k] = fmaxf(disc * (p * next + (1.0f - p) * v[k]), strike - price[k]);
        }
    }
    if (lane == 0) y[option] = v[0];
}

// ---- risk: reinsurance losses of simulated years, 32 events a year, four layers with a deductible and a limit; event losses in four tables, or in one table of float4
KERNEL risk_tables(const float* table, const unsigned* events, float* y, int years)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= years) return;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int e = 0; e < 32; ++e) {
        unsigned id = events[e * years + t] & 1048575u;
#pragma unroll
        for (int l = 0; l < 4; ++l) {
            float loss = table[l * 1048576u + id];
            sum[l] += fminf(fmaxf(loss - 20.0f * l, 0.0f), 40.0f);
        }
    }
#pragma unroll
    for (int l = 0; l < 4; ++l) y[l * years + t] = fminf(sum[l], 900.0f);
}

KERNEL risk_records(const float4* table, const unsigned* events, float* y, int years)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= years) return;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int e = 0; e < 32; ++e) {
        unsigned id = events[e * years + t] & 1048575u;
        float4 r = table[id];
        float loss[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int l = 0; l < 4; ++l) sum[l] += fminf(fmaxf(loss[l] - 20.0f * l, 0.0f), 40.0f);
    }
#pragma unroll
    for (int l = 0; l < 4; ++l) y[l * years + t] = fminf(sum[l], 900.0f);
}

// ---- book: price level at which a market order fills, 256 levels an instrument, a block per instrument; each order walks the levels, or searches their running total by halving
KERNEL book_walk(const unsigned char* depth, const unsigned* orders, int* y, int perbook)
{
    __shared__ unsigned q[256];
    __shared__ unsigned total;
    int i = threadIdx.x;
    if (i == 0) total = 0;
    __syncthreads();
    q[i] = 1u + depth[blockIdx.x * 256 + i];
    atomicAdd(&total, q[i]);
    __syncthreads();
    for (int k = i; k < perbook; k += 256) {
        unsigned left = __umulhi(orders[blockIdx.x * perbook + k], total);
        int level = 0;
        while (left >= q[level]) {
            left -= q[level];
            ++level;
        }
        y[blockIdx.x * perbook + k] = level;
    }
}

KERNEL book_halve(const unsigned char* depth, const unsigned* orders, int* y, int perbook)
{
    __shared__ unsigned upto[256];
    int i = threadIdx.x;
    unsigned sum = 1u + depth[blockIdx.x * 256 + i];
    upto[i] = sum;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        unsigned more = i >= step ? upto[i - step] : 0u;
        __syncthreads();
        sum += more;
        upto[i] = sum;
        __syncthreads();
    }
    unsigned total = upto[255];
    for (int k = i; k < perbook; k += 256) {
        unsigned size = __umulhi(orders[blockIdx.x * perbook + k], total);
        int level = 0;
#pragma unroll
        for (int step = 128; step > 0; step /= 2)
            if (upto[level + step - 1] <= size) level += step;
        y[blockIdx.x * perbook + k] = level;
    }
}

// ---- skin: skeletal animation, each vertex moved by four of 128 bones (3 x 4 matrices); matrices read float by float, as float4 rows, or as float4 rows from shared memory
KERNEL skin_floats(const float4* x, const uchar4* links, float4* y, int n)
{
    const float* bones = (const float*)x;
    const float4 *verts = x + 4096, *weights = verts + n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = verts[i], w = weights[i];
    uchar4 b = links[i];
    int id[4] = {b.x & 127, b.y & 127, b.z & 127, b.w & 127};
    float wt[4] = {w.x, w.y, w.z, w.w};
    float inv = 1.0f / (w.x + w.y + w.z + w.w + 0.001f);
    float ox = 0.0f, oy = 0.0f, oz = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float* m = bones + id[k] * 12;
        float f = wt[k] * inv;
        ox += f * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
        oy += f * (m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7]);
        oz += f * (m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]);
    }
    y[i] = make_float4(ox, oy, oz, 1.0f);
}

__device__ __forceinline__ float4 skin_rows(const float4* bones, float4 p, float4 w, uchar4 b)
{
    int id[4] = {b.x & 127, b.y & 127, b.z & 127, b.w & 127};
    float wt[4] = {w.x, w.y, w.z, w.w};
    float inv = 1.0f / (w.x + w.y + w.z + w.w + 0.001f);
    float4 o = make_float4(0.0f, 0.0f, 0.0f, 1.0f);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float4 r0 = bones[id[k] * 3], r1 = bones[id[k] * 3 + 1], r2 = bones[id[k] * 3 + 2];
        float f = wt[k] * inv;
        o.x += f * (r0.x * p.x + r0.y * p.y + r0.z * p.z + r0.w);
        o.y += f * (r1.x * p.x + r1.y * p.y + r1.z * p.z + r1.w);
        o.z += f * (r2.x * p.x + r2.y * p.y + r2.z * p.z + r2.w);
    }
    return o;
}

KERNEL skin_float4(const float4* x, const uchar4* links, float4* y, int n)
{
    const float4 *bones = x, *verts = x + 4096, *weights = verts + n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = skin_rows(bones, verts[i], weights[i], links[i]);
}

KERNEL skin_shared(const float4* x, const uchar4* links, float4* y, int n)
{
    const float4 *bones = x, *verts = x + 4096, *weights = verts + n;
    __shared__ float4 kept[384];
    for (int k = threadIdx.x; k < 384; k += blockDim.x) kept[k] = bones[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = skin_rows(kept, verts[i], weights[i], links[i]);
}

// ---- pluck: plucked strings (Karplus-Strong), a string per thread with its delay line of 90 samples in shared memory; line in float, or in half so that twice the blocks fit on an SM
__device__ __forceinline__ void pluck_put(float& a, float v) { a = v; }
__device__ __forceinline__ void pluck_put(__half& a, float v) { a = __float2half_rn(v); }
__device__ __forceinline__ float pluck_get(float a) { return a; }
__device__ __forceinline__ float pluck_get(__half a) { return __half2float(a); }

template <typename T> __device__ __forceinline__ void pluck(const unsigned* d, float* y, float* z, int samples)
{
    __shared__ T line[90 * 128];
    int voices = gridDim.x * 128, voice = blockIdx.x * 128 + threadIdx.x;
    T* mine = line + threadIdx.x;
    unsigned seed = d[voice];
    for (int k = 0; k < 90; ++k) {
        seed = seed * 1664525u + 1013904223u;
        pluck_put(mine[k * 128], (int)seed * 4.6566129e-10f);
    }
    float energy = 0.0f, now = pluck_get(mine[0]);
    int at = 0;
    for (int n = 0; n < samples; ++n) {
        int after = at == 89 ? 0 : at + 1;
        float next = pluck_get(mine[after * 128]);
        float v = 0.498f * (now + next);
        pluck_put(mine[at * 128], v);
        energy += v * v;
        if ((n & 63) == 63) z[(n >> 6) * voices + voice] = v;
        now = next;
        at = after;
    }
    y[voice] = energy;
}

KERNEL pluck_float(const unsigned* d, float* y, float* z, int samples)
{
    pluck<float>(d, y, z, samples);
}

KERNEL pluck_half(const unsigned* d, float* y, float* z, int samples)
{
    pluck<__half>(d, y, z, samples);
}

// ---- match: longest match (up to 32 symbols) within the last 64 positions, as in LZ compression, symbols of two bits in bytes; compared byte by byte, or four bytes at a time
KERNEL match_bytes(const unsigned char* d, unsigned* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char* here = d + 64 + i;
    int best = 0, where = 0;
    for (int back = 1; back <= 64; ++back) {
        int len = 0;
        while (len < 32 && ((here[len] ^ here[len - back]) & 3) == 0) ++len;
        if (len > best) { best = len; where = back; }
    }
    y[i] = (unsigned)best << 8 | (unsigned)where;
}

__device__ __forceinline__ unsigned match_load(const unsigned* d, int at)
{
    const unsigned* w = d + (at >> 2);
    return __funnelshift_r(w[0], w[1], (at & 3) * 8);
}

KERNEL match_words(const unsigned* d, unsigned* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int here = 64 + i;
    unsigned first = match_load(d, here);
    int best = 0, where = 0;
    for (int back = 1; back <= 64; ++back) {
        int len = 0;
        unsigned diff = (first ^ match_load(d, here - back)) & 0x03030303u;
        while (diff == 0 && len < 28) {
            len += 4;
            diff = (match_load(d, here + len) ^ match_load(d, here + len - back)) & 0x03030303u;
        }
        len += diff ? (__ffs(diff) - 1) >> 3 : 4;
        if (len > best) { best = len; where = back; }
    }
    y[i] = (unsigned)best << 8 | (unsigned)where;
}

// ---- huff: pack codes of 2 to 9 bits one after another, 256 symbols a block; bits set by atomics in global memory, or in shared memory and then copied out
__device__ __forceinline__ unsigned huff_place(unsigned len)
{
    __shared__ unsigned sums[8];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, upto = len;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        unsigned more = __shfl_up_sync(0xffffffffu, upto, step);
        if (lane >= step) upto += more;
    }
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
    return before + upto - len;
}

KERNEL huff_global(const unsigned char* d, unsigned* y)
{
    unsigned symbol = d[blockIdx.x * 256 + threadIdx.x];
    unsigned len = 2 + (symbol & 7), code = (symbol * 2654435761u) >> (32 - len);
    unsigned bit = huff_place(len);
    unsigned* out = y + blockIdx.x * 80 + (bit >> 5);
    unsigned shift = bit & 31;
    atomicOr(out, code << shift);
    if (shift + len > 32) atomicOr(out + 1, code >> (32 - shift));
}

KERNEL huff_shared(const unsigned char* d, unsigned* y)
{
    __shared__ unsigned bits[80];
    if (threadIdx.x < 80) bits[threadIdx.x] = 0;
    unsigned symbol = d[blockIdx.x * 256 + threadIdx.x];
    unsigned len = 2 + (symbol & 7), code = (symbol * 2654435761u) >> (32 - len);
    unsigned bit = huff_place(len);
    unsigned* out = bits + (bit >> 5);
    unsigned shift = bit & 31;
    atomicOr(out, code << shift);
    if (shift + len > 32) atomicOr(out + 1, code >> (32 - shift));
    __syncthreads();
    if (threadIdx.x < 80) y[blockIdx.x * 80 + threadIdx.x] = bits[threadIdx.x];
}

// ---- dict: decode a dictionary column of packed six-bit codes to floats; one value a thread, or four values a thread from one read and with one float4 store
KERNEL dict_one(const unsigned* packed, const float* words, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bit = (unsigned)i * 6u, w = bit >> 5;
    unsigned code = __funnelshift_r(packed[w], packed[w + 1], bit & 31) & 63u;
    y[i] = words[code];
}

KERNEL dict_four(const unsigned* packed, const float* words, float4* y, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    unsigned bit = (unsigned)i * 24u, w = bit >> 5;
    unsigned codes = __funnelshift_r(packed[w], packed[w + 1], bit & 31);
    y[i] = make_float4(words[codes & 63u], words[codes >> 6 & 63u], words[codes >> 12 & 63u], words[codes >> 18 & 63u]);
}

// ---- join: for each row find its key in a sorted column of 4 million keys (key i is 64 i plus six bits of d); binary search all in global memory, or its first 11 steps in a shared table of every 2048th key
__device__ __forceinline__ unsigned join_key(const unsigned char* d, unsigned i)
{
    return i * 64u + (d[i] & 63u);
}

KERNEL join_search(const unsigned char* d, int* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    unsigned key = ((unsigned)row * 2654435761u) >> 4, lo = 0;
    for (unsigned step = 1u << 21; step > 0; step >>= 1)
        if (join_key(d, lo + step) <= key) lo += step;
    y[row] = join_key(d, lo) == key ? (int)lo : -1;
}

KERNEL join_top(const unsigned char* d, int* y, int rows)
{
    __shared__ unsigned top[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) top[k] = join_key(d, k * 2048u);
    __syncthreads();
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        unsigned key = ((unsigned)row * 2654435761u) >> 4, lo = 0;
        for (unsigned step = 1024; step > 0; step >>= 1)
            if (top[lo + step] <= key) lo += step;
        lo *= 2048u;
        for (unsigned step = 1024; step > 0; step >>= 1)
            if (join_key(d, lo + step) <= key) lo += step;
        y[row] = join_key(d, lo) == key ? (int)lo : -1;
    }
}

typedef unsigned char u8;
typedef unsigned int u32;

__device__ __forceinline__ float warp_sum(float v)
{
    for (int k = 16; k > 0; k >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, k);
    return v;
}

// ---- lnback: input gradient of a layer norm over rows of 1024; a block a row with shared-memory trees and re-reading, or a warp a row with shuffles and the row in registers
__device__ __forceinline__ float tree_sum(float v, float *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    float r = s[0];
    __syncthreads();
    return r;
}

KERNEL lnback_tree(const float *__restrict__ x, float *__restrict__ y, u32 dy_at, u32 gamma_at)
{
    __shared__ float s[256];
    const int C = 1024;
    size_t row = (size_t)blockIdx.x * C;
    const float *a = x + row;
    const float *dy = x + dy_at + row;
    const float *gamma = x + gamma_at;
    float v = 0;
    for (int c = threadIdx.x; c < C; c += 256)
        v += a[c];
    float mean = tree_sum(v, s) / C;
    v = 0;
    for (int c = threadIdx.x; c < C; c += 256) {
        float e = a[c] - mean;
        v += e * e;
    }
    float rstd = rsqrtf(tree_sum(v, s) / C + 1e-5f);
    v = 0;
    for (int c = threadIdx.x; c < C; c += 256)
        v += dy[c] * gamma[c];
    float m1 = tree_sum(v, s) / C;
    v = 0;
    for (int c = threadIdx.x; c < C; c += 256)
        v += dy[c] * gamma[c] * (a[c] - mean) * rstd;
    float m2 = tree_sum(v, s) / C;
    for (int c = threadIdx.x; c < C; c += 256) {
        float hat = (a[c] - mean) * rstd;
        y[row + c] = rstd * (dy[c] * gamma[c] - m1 - hat * m2);
    }
}

KERNEL lnback_warp(const float *__restrict__ x, float *__restrict__ y, u32 dy_at, u32 gamma_at)
{
    int lane = threadIdx.x & 31;
    size_t row = ((size_t)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * 1024;
    const float4 *a4 = (const float4 *)(x + row);
    const float4 *dy4 = (const float4 *)(x + dy_at + row);
    const float4 *gamma4 = (const float4 *)(x + gamma_at);
    float4 *y4 = (float4 *)(y + row);
    float4 a[8], g[8];
    float sum = 0, m1 = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        a[i] = a4[i * 32 + lane];
        float4 e = dy4[i * 32 + lane], w = gamma4[i * 32 + lane];
        g[i] = make_float4(e.x * w.x, e.y * w.y, e.z * w.z, e.w * w.w);
        sum += (a[i].x + a[i].y) + (a[i].z + a[i].w);
        m1 += (g[i].x + g[i].y) + (g[i].z + g[i].w);
    }
    float mean = warp_sum(sum) * (1.0f / 1024);
    m1 = warp_sum(m1) * (1.0f / 1024);
    float var = 0, m2 = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        a[i].x -= mean;
        a[i].y -= mean;
        a[i].z -= mean;
        a[i].w -= mean;
        var += a[i].x * a[i].x + a[i].y * a[i].y + a[i].z * a[i].z + a[i].w * a[i].w;
        m2 += a[i].x * g[i].x + a[i].y * g[i].y + a[i].z * g[i].z + a[i].w * g[i].w;
    }
    float rstd = rsqrtf(warp_sum(var) * (1.0f / 1024) + 1e-5f);
    m2 = warp_sum(m2) * (1.0f / 1024) * rstd;
    float k = rstd * m2;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 o;
        o.x = rstd * (g[i].x - m1 - a[i].x * k);
        o.y = rstd * (g[i].y - m1 - a[i].y * k);
        o.z = rstd * (g[i].z - m1 - a[i].z * k);
        o.w = rstd * (g[i].w - m1 - a[i].w * k);
        y4[i * 32 + lane] = o;
    }
}

// ---- rotary: rotary position embedding, 4096 tokens of 16 heads of 128, output in half; the angle's power, sine and cosine for every head, or once for the 16 heads
KERNEL rotary_each(const float *__restrict__ x, __half *__restrict__ y, u32 first)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = t & 63, head = (t >> 6) & 15, token = t >> 10;
    float angle = (float)(first + token) * powf(10000.0f, -(float)i / 64.0f);
    float c = cosf(angle), s = sinf(angle);
    size_t at = ((size_t)token * 16 + head) * 128 + i;
    float a = x[at], b = x[at + 64];
    y[at] = __float2half(a * c - b * s);
    y[at + 64] = __float2half(a * s + b * c);
}

KERNEL rotary_shared(const float *__restrict__ x, __half *__restrict__ y, u32 first)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = t & 63, token = t >> 6;
    float angle = (float)(first + token) * powf(10000.0f, -(float)i / 64.0f);
    float c, s;
    sincosf(angle, &s, &c);
    size_t at = (size_t)token * 2048 + i;
#pragma unroll 4
    for (int head = 0; head < 16; head++) {
        float a = x[at], b = x[at + 64];
        y[at] = __float2half(a * c - b * s);
        y[at + 64] = __float2half(a * s + b * c);
        at += 128;
    }
}

// ---- bnstat: batch norm statistics, sum and sum of squares of 256 channels stored last; two atomics an element, or 64 rows summed in registers before the atomics
KERNEL bnstat_each(const float *__restrict__ x, float *z)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 c = t & 255;
    float v = x[t];
    atomicAdd(&z[c], v);
    atomicAdd(&z[256 + c], v * v);
}

KERNEL bnstat_rows(const float *__restrict__ x, float *z, u32 rows)
{
    u32 c = threadIdx.x;
    const float *p = x + (size_t)blockIdx.x * rows * 256 + c;
    float s = 0, q = 0;
#pragma unroll 8
    for (u32 r = 0; r < rows; r++) {
        float v = p[r * 256];
        s += v;
        q += v * v;
    }
    atomicAdd(&z[c], s);
    atomicAdd(&z[256 + c], q);
}

// ---- depthwise: 3x3 depthwise convolution of 512 planes of 112x112 with zero borders; a thread an output with nine checked loads, or a thread down 16 rows with the window kept in registers
KERNEL depthwise_point(const float *__restrict__ x, const u8 *__restrict__ d, float *__restrict__ y, u32 channels)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int c = t % 112, r = t / 112 % 112, plane = t / (112 * 112);
    const float *p = x + (size_t)plane * 112 * 112;
    const u8 *w = d + (plane % channels) * 9;
    float sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            int rr = r + i, cc = c + j;
            if (rr >= 0 && rr < 112 && cc >= 0 && cc < 112)
                sum += p[rr * 112 + cc] * ((float)w[(i + 1) * 3 + j + 1] - 127.5f);
        }
    y[t] = sum;
}

KERNEL depthwise_column(const float *__restrict__ x, const u8 *__restrict__ d, float *__restrict__ y, u32 channels)
{
    int c = threadIdx.x, plane = blockIdx.x, r0 = blockIdx.y * 16;
    const float *p = x + (size_t)plane * 112 * 112 + c;
    float *o = y + (size_t)plane * 112 * 112 + c;
    const u8 *wd = d + (plane % channels) * 9;
    float w[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        w[k] = (float)wd[k] - 127.5f;
    bool left = c > 0, right = c < 111;
    float a0 = 0, a1 = 0, a2 = 0;
    if (r0 > 0) {
        const float *q = p + (r0 - 1) * 112;
        a0 = left ? q[-1] : 0.0f;
        a1 = q[0];
        a2 = right ? q[1] : 0.0f;
    }
    const float *q = p + r0 * 112;
    float b0 = left ? q[-1] : 0.0f, b1 = q[0], b2 = right ? q[1] : 0.0f;
#pragma unroll 4
    for (int r = r0; r < r0 + 16; r++) {
        float c0 = 0, c1 = 0, c2 = 0;
        if (r + 1 < 112) {
            const float *n = p + (r + 1) * 112;
            c0 = left ? n[-1] : 0.0f;
            c1 = n[0];
            c2 = right ? n[1] : 0.0f;
        }
        o[r * 112] = a0 * w[0] + a1 * w[1] + a2 * w[2] + b0 * w[3] + b1 * w[4] + b2 * w[5] + c0 * w[6] + c1 * w[7] + c2 * w[8];
        a0 = b0, a1 = b1, a2 = b2;
        b0 = c0, b1 = c1, b2 = c2;
    }
}

// ---- clash: does a vertex share its colour with one of its eight neighbours; neighbour after neighbour with an early exit, or all loads issued together from two vectors
KERNEL clash_exit(const u32 *__restrict__ d, u32 *__restrict__ y, u32 mask)
{
    const u8 *colour = (const u8 *)d;
    u32 v = blockIdx.x * blockDim.x + threadIdx.x;
    u32 mine = colour[v] & 15;
    u32 bad = 0;
    for (int j = 0; j < 8; j++) {
        u32 n = d[v * 8 + j] & mask;
        if ((colour[n] & 15) == mine) {
            bad = 1;
            break;
        }
    }
    y[v] = bad;
}

KERNEL clash_all(const u32 *__restrict__ d, u32 *__restrict__ y, u32 mask)
{
    const u8 *colour = (const u8 *)d;
    u32 v = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 a = ((const uint4 *)d)[v * 2], b = ((const uint4 *)d)[v * 2 + 1];
    u32 mine = colour[v];
    u32 c0 = colour[a.x & mask], c1 = colour[a.y & mask], c2 = colour[a.z & mask], c3 = colour[a.w & mask];
    u32 c4 = colour[b.x & mask], c5 = colour[b.y & mask], c6 = colour[b.z & mask], c7 = colour[b.w & mask];
    u32 bad = (((c0 ^ mine) & 15) == 0) | (((c1 ^ mine) & 15) == 0) | (((c2 ^ mine) & 15) == 0) | (((c3 ^ mine) & 15) == 0);
    bad |= (((c4 ^ mine) & 15) == 0) | (((c5 ^ mine) & 15) == 0) | (((c6 ^ mine) & 15) == 0) | (((c7 ^ mine) & 15) == 0);
    y[v] = bad;
}

// ---- triangles: triangles of a directed graph with 16 ascending neighbours a vertex, a thread an edge; every pair of neighbours compared, or the two sorted lists merged
// neighbour i of v: v + 1 + 16 i + a nibble of d
__device__ __forceinline__ u32 neighbour(const u8 *__restrict__ d, u32 v, u32 i)
{
    return v + 1 + 16 * i + (d[v * 16 + i] & 15);
}

KERNEL triangles_nested(const u8 *__restrict__ d, u32 *z)
{
    u32 e = blockIdx.x * blockDim.x + threadIdx.x;
    u32 v = e >> 4, w = neighbour(d, v, e & 15);
    u32 count = 0;
    for (int i = 0; i < 16; i++) {
        u32 a = neighbour(d, v, i);
        for (int j = 0; j < 16; j++)
            if (a == neighbour(d, w, j))
                count++;
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(z, count);
}

KERNEL triangles_merge(const u8 *__restrict__ d, u32 *z)
{
    u32 e = blockIdx.x * blockDim.x + threadIdx.x;
    u32 v = e >> 4, w = neighbour(d, v, e & 15);
    u32 count = 0;
    u32 i = 0, j = 0;
    u32 a = neighbour(d, v, 0), b = neighbour(d, w, 0);
    while (i < 16 && j < 16) {
        bool low = a <= b, high = b <= a;
        count += low && high;
        if (low) {
            i++;
            if (i < 16)
                a = neighbour(d, v, i);
        }
        if (high) {
            j++;
            if (j < 16)
                b = neighbour(d, w, j);
        }
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(z, count);
}

// ---- fdtd: electric half step of a Yee grid of 128^3; the six fields of a cell side by side, or each field in an array of its own
struct Yee {
    float ex, ey, ez, hx, hy, hz;
};

KERNEL fdtd_cells(const Yee *__restrict__ x, float *__restrict__ y)
{
    u32 c = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = c & 127, j = (c >> 7) & 127, k = c >> 14;
    float ex = x[c].ex, ey = x[c].ey, ez = x[c].ez;
    if (i > 0 && j > 0 && k > 0) {
        float hx = x[c].hx, hy = x[c].hy, hz = x[c].hz;
        ex += 0.5f * ((hz - x[c - 128].hz) - (hy - x[c - 16384].hy));
        ey += 0.5f * ((hx - x[c - 16384].hx) - (hz - x[c - 1].hz));
        ez += 0.5f * ((hy - x[c - 1].hy) - (hx - x[c - 128].hx));
    }
    y[3 * c] = ex;
    y[3 * c + 1] = ey;
    y[3 * c + 2] = ez;
}

KERNEL fdtd_fields(const float *__restrict__ x, float *__restrict__ y)
{
    const u32 N = 128 * 128 * 128;
    u32 c = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = c & 127, j = (c >> 7) & 127, k = c >> 14;
    const float *Hx = x + 3 * N, *Hy = x + 4 * N, *Hz = x + 5 * N;
    float ex = x[c], ey = x[N + c], ez = x[2 * N + c];
    if (i > 0 && j > 0 && k > 0) {
        float hx = Hx[c], hy = Hy[c], hz = Hz[c];
        ex += 0.5f * ((hz - Hz[c - 128]) - (hy - Hy[c - 16384]));
        ey += 0.5f * ((hx - Hx[c - 16384]) - (hz - Hz[c - 1]));
        ez += 0.5f * ((hy - Hy[c - 1]) - (hx - Hx[c - 128]));
    }
    y[c] = ex;
    y[N + c] = ey;
    y[2 * N + c] = ez;
}

// ---- sph: density by a poly6 kernel over 27 cells of 32 particles, a warp a cell; with a root and a power, with products only, or with products and the neighbours passed by shuffles
// 16 x 16 x 8 cells, wrapped round; a particle is (place in its cell, mass)
__device__ __forceinline__ float4 sph_particle(const float4 *__restrict__ x, u32 i)
{
    float4 p = x[i];
    const float k = 1.0f / 143;
    return make_float4(p.x * k, p.y * k, p.z * k, p.w);
}

KERNEL sph_power(const float4 *__restrict__ x, float *__restrict__ y)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    int cell = t >> 5, cx = cell & 15, cy = (cell >> 4) & 15, cz = cell >> 8;
    float4 me = sph_particle(x, t);
    float rho = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                u32 other = ((cx + dx) & 15) | ((cy + dy) & 15) << 4 | ((cz + dz) & 7) << 8;
                for (int j = 0; j < 32; j++) {
                    float4 p = sph_particle(x, other * 32 + j);
                    float ex = p.x + dx - me.x, ey = p.y + dy - me.y, ez = p.z + dz - me.z;
                    float r = sqrtf(ex * ex + ey * ey + ez * ez);
                    if (r < 1.0f)
                        rho += p.w * powf(1.0f - r * r, 3.0f);
                }
            }
    y[t] = rho * 1.5666815f;
}

KERNEL sph_product(const float4 *__restrict__ x, float *__restrict__ y)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    int cell = t >> 5, cx = cell & 15, cy = (cell >> 4) & 15, cz = cell >> 8;
    float4 me = sph_particle(x, t);
    float rho = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                u32 other = ((cx + dx) & 15) | ((cy + dy) & 15) << 4 | ((cz + dz) & 7) << 8;
                float mx = me.x - dx, my = me.y - dy, mz = me.z - dz;
                for (int j = 0; j < 32; j++) {
                    float4 p = sph_particle(x, other * 32 + j);
                    float ex = p.x - mx, ey = p.y - my, ez = p.z - mz;
                    float q = fmaxf(1.0f - (ex * ex + ey * ey + ez * ez), 0.0f);
                    rho += p.w * (q * q * q);
                }
            }
    y[t] = rho * 1.5666815f;
}

KERNEL sph_shuffle(const float4 *__restrict__ x, float *__restrict__ y)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = t & 31;
    int cell = t >> 5, cx = cell & 15, cy = (cell >> 4) & 15, cz = cell >> 8;
    float4 me = sph_particle(x, t);
    float rho = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                u32 other = ((cx + dx) & 15) | ((cy + dy) & 15) << 4 | ((cz + dz) & 7) << 8;
                float mx = me.x - dx, my = me.y - dy, mz = me.z - dz;
                float4 mine = sph_particle(x, other * 32 + lane);
#pragma unroll 8
                for (int j = 0; j < 32; j++) {
                    float ex = __shfl_sync(0xffffffffu, mine.x, j) - mx;
                    float ey = __shfl_sync(0xffffffffu, mine.y, j) - my;
                    float ez = __shfl_sync(0xffffffffu, mine.z, j) - mz;
                    float m = __shfl_sync(0xffffffffu, mine.w, j);
                    float q = fmaxf(1.0f - (ex * ex + ey * ey + ez * ez), 0.0f);
                    rho += m * (q * q * q);
                }
            }
    y[t] = rho * 1.5666815f;
}

// ---- dsmc: collisions of a rarefied gas, one candidate pair in eight or so is accepted; the collision inside the branch, or accepted pairs first listed in shared memory and collided by full warps
__device__ __forceinline__ u32 pcg(u32 v)
{
    u32 s = v * 747796405u + 2891336453u;
    u32 w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

__device__ __forceinline__ float unit(u32 r)
{
    return (float)(r >> 8) * (1.0f / 16777216);
}

__device__ __forceinline__ bool dsmc_accept(const float4 *__restrict__ x, u32 pair, u32 seed)
{
    float4 a = x[2 * pair], b = x[2 * pair + 1];
    float gx = a.x - b.x, gy = a.y - b.y, gz = a.z - b.z;
    float g = sqrtf(gx * gx + gy * gy + gz * gz);
    return g > 800.0f * unit(pcg(pair ^ seed));
}

__device__ __forceinline__ void dsmc_collide(const float4 *__restrict__ x, float4 *__restrict__ y, u32 pair, u32 seed)
{
    float4 a = x[2 * pair], b = x[2 * pair + 1];
    float gx = a.x - b.x, gy = a.y - b.y, gz = a.z - b.z;
    float g2 = gx * gx + gy * gy + gz * gz;
    u32 r = pcg(pair + seed);
    // share the energy between translation and eight inner modes
    float energy = g2 + a.w + b.w, inner = 0;
    for (int m = 0; m < 8; m++) {
        r = pcg(r);
        float part = 1.0f - powf(unit(r), 1.0f / (1.5f + m));
        float e = 0.25f * part * energy;
        inner += e;
        energy -= e;
    }
    float g = sqrtf(energy);
    r = pcg(r);
    float cosine = 2.0f * powf(unit(r), 0.7f) - 1.0f;
    float sine = sqrtf(fmaxf(1.0f - cosine * cosine, 0.0f));
    r = pcg(r);
    float sp, cp;
    sincosf(6.2831853f * unit(r), &sp, &cp);
    float nx = g * cosine, ny = g * sine * cp, nz = g * sine * sp;
    float mx = 0.5f * (a.x + b.x), my = 0.5f * (a.y + b.y), mz = 0.5f * (a.z + b.z);
    y[2 * pair] = make_float4(mx + 0.5f * nx, my + 0.5f * ny, mz + 0.5f * nz, 0.5f * inner);
    y[2 * pair + 1] = make_float4(mx - 0.5f * nx, my - 0.5f * ny, mz - 0.5f * nz, 0.5f * inner);
}

KERNEL dsmc_branch(const float4 *__restrict__ x, float4 *__restrict__ y, u32 seed)
{
    u32 pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (dsmc_accept(x, pair, seed))
        dsmc_collide(x, y, pair, seed);
}

KERNEL dsmc_list(const float4 *__restrict__ x, float4 *__restrict__ y, u32 seed)
{
    __shared__ u32 list[2048];
    __shared__ u32 length;
    u32 lane = threadIdx.x & 31;
    if (threadIdx.x == 0)
        length = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        u32 pair = blockIdx.x * 2048 + i * 256 + threadIdx.x;
        bool take = dsmc_accept(x, pair, seed);
        u32 votes = __ballot_sync(0xffffffffu, take);
        u32 base = 0;
        if (lane == 0)
            base = atomicAdd(&length, __popc(votes));
        base = __shfl_sync(0xffffffffu, base, 0);
        if (take)
            list[base + __popc(votes & ((1u << lane) - 1))] = pair;
    }
    __syncthreads();
    for (u32 q = threadIdx.x; q < length; q += 256)
        dsmc_collide(x, y, list[q], seed);
}

// ---- grains: contact forces between 1024 x 1024 grains jittered about a grid; each contact once with atomics on both grains, or each contact twice without atomics
__device__ __forceinline__ float2 grain_force(float2 p, float2 v, const float2 *__restrict__ x, u32 other, int dc, int dr)
{
    float2 q = x[other], w = x[1048576 + other];
    float ex = (q.x - p.x) * 0.005f + dc, ey = (q.y - p.y) * 0.005f + dr;
    float s = ex * ex + ey * ey;
    if (s >= 1.0f || s < 1e-8f)
        return make_float2(0, 0);
    float inv = rsqrtf(s), overlap = 1.0f - s * inv;
    float nx = ex * inv, ny = ey * inv;
    float speed = (w.x - v.x) * nx + (w.y - v.y) * ny;
    float f = -100.0f * overlap + 0.05f * speed;
    return make_float2(f * nx, f * ny);
}

KERNEL grains_scatter(const float2 *__restrict__ x, float *z)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    u32 me = r * 1024 + c;
    float2 p = x[me], v = x[1048576 + me];
    float fx = 0, fy = 0;
    for (int k = 0; k < 4; k++) {
        int dc = k == 0 ? 1 : k - 2, dr = k == 0 ? 0 : 1;
        int cc = c + dc, rr = r + dr;
        if (cc < 0 || cc > 1023 || rr > 1023)
            continue;
        u32 other = rr * 1024 + cc;
        float2 f = grain_force(p, v, x, other, dc, dr);
        if (f.x != 0 || f.y != 0) {
            fx += f.x;
            fy += f.y;
            atomicAdd(&z[2 * other], -f.x);
            atomicAdd(&z[2 * other + 1], -f.y);
        }
    }
    atomicAdd(&z[2 * me], fx);
    atomicAdd(&z[2 * me + 1], fy);
}

KERNEL grains_gather(const float2 *__restrict__ x, float2 *__restrict__ z)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    u32 me = r * 1024 + c;
    float2 p = x[me], v = x[1048576 + me];
    float fx = 0, fy = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++) {
            int cc = c + dc, rr = r + dr;
            if ((dc == 0 && dr == 0) || cc < 0 || cc > 1023 || rr < 0 || rr > 1023)
                continue;
            float2 f = grain_force(p, v, x, rr * 1024 + cc, dc, dr);
            fx += f.x;
            fy += f.y;
        }
    z[me] = make_float2(fx, fy);
}

// ---- ewald: structure factors of 8192 charges for 8 x 16 x 16 wave vectors; sine and cosine for every charge and vector, or 16 vectors in a row by complex multiplication
KERNEL ewald_direct(const float4 *__restrict__ x, float *__restrict__ z, u32 atoms)
{
    __shared__ float sr[8], si[8];
    u32 k = blockIdx.x;
    float kx = k >> 8, ky = (k >> 4) & 15, kz = k & 15;
    float re = 0, im = 0;
    for (u32 i = threadIdx.x; i < atoms; i += 256) {
        float4 a = x[i];
        float phase = 6.2831853f * (kx * a.x + ky * a.y + kz * a.z) / 143.0f;
        float s, c;
        sincosf(phase, &s, &c);
        float q = a.w - 71.0f;
        re += q * c;
        im += q * s;
    }
    re = warp_sum(re);
    im = warp_sum(im);
    if ((threadIdx.x & 31) == 0) {
        sr[threadIdx.x >> 5] = re;
        si[threadIdx.x >> 5] = im;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) {
            re += sr[w];
            im += si[w];
        }
        z[2 * k] = re;
        z[2 * k + 1] = im;
    }
}

KERNEL ewald_recur(const float4 *__restrict__ x, float *z, u32 atoms)
{
    __shared__ float total[32];
    float kx = blockIdx.x >> 4, ky = blockIdx.x & 15;
    u32 part = atoms / gridDim.y;
    if (threadIdx.x < 32)
        total[threadIdx.x] = 0;
    __syncthreads();
    float re[16], im[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        re[k] = im[k] = 0;
    for (u32 i = threadIdx.x; i < part; i += 256) {
        float4 a = x[blockIdx.y * part + i];
        const float f = 6.2831853f / 143.0f;
        float s, c, ds, dc;
        sincosf(f * (kx * a.x + ky * a.y), &s, &c);
        sincosf(f * a.z, &ds, &dc);
        float q = a.w - 71.0f;
        c *= q;
        s *= q;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            re[k] += c;
            im[k] += s;
            float n = c * dc - s * ds;
            s = c * ds + s * dc;
            c = n;
        }
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float a = warp_sum(re[k]), b = warp_sum(im[k]);
        if ((threadIdx.x & 31) == 0) {
            atomicAdd(&total[2 * k], a);
            atomicAdd(&total[2 * k + 1], b);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&z[blockIdx.x * 32 + threadIdx.x], total[threadIdx.x]);
}

// ---- angles: bond angles in degrees of a million atom triples; double slipped in through literals and functions, or float all through
KERNEL angles_double(const float *__restrict__ x, const u32 *__restrict__ d, float *__restrict__ y, u32 mask)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = d[3 * t] & mask, j = d[3 * t + 1] & mask, k = d[3 * t + 2] & mask;
    double ux = x[3 * i] - x[3 * j], uy = x[3 * i + 1] - x[3 * j + 1], uz = x[3 * i + 2] - x[3 * j + 2];
    double vx = x[3 * k] - x[3 * j], vy = x[3 * k + 1] - x[3 * j + 1], vz = x[3 * k + 2] - x[3 * j + 2];
    double c = (ux * vx + uy * vy + uz * vz) / (sqrt(ux * ux + uy * uy + uz * uz) * sqrt(vx * vx + vy * vy + vz * vz) + 1e-20);
    c = fmin(fmax(c, -1.0), 1.0);
    y[t] = (float)(acos(c) * 180.0 / 3.14159265358979);
}

KERNEL angles_float(const float *__restrict__ x, const u32 *__restrict__ d, float *__restrict__ y, u32 mask)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = d[3 * t] & mask, j = d[3 * t + 1] & mask, k = d[3 * t + 2] & mask;
    float ux = x[3 * i] - x[3 * j], uy = x[3 * i + 1] - x[3 * j + 1], uz = x[3 * i + 2] - x[3 * j + 2];
    float vx = x[3 * k] - x[3 * j], vy = x[3 * k + 1] - x[3 * j + 1], vz = x[3 * k + 2] - x[3 * j + 2];
    float c = (ux * vx + uy * vy + uz * vz) * rsqrtf((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz) + 1e-20f);
    c = fminf(fmaxf(c, -1.0f), 1.0f);
    y[t] = acosf(c) * 57.29577951f;
}

// ---- lu8: LU factors of 131072 matrices of 8x8, a thread a matrix; each thread reads and writes its own matrix, or the block stages them through padded shared memory
__device__ __forceinline__ void lu8_factor(float *a)
{
#pragma unroll
    for (int k = 0; k < 8; k++) {
        a[k * 8 + k] += 1000.0f;
    }
#pragma unroll
    for (int k = 0; k < 7; k++) {
        float inv = 1.0f / a[k * 8 + k];
#pragma unroll
        for (int i = k + 1; i < 8; i++) {
            float m = a[i * 8 + k] * inv;
            a[i * 8 + k] = m;
#pragma unroll
            for (int j = k + 1; j < 8; j++)
                a[i * 8 + j] -= m * a[k * 8 + j];
        }
    }
}

KERNEL lu8_direct(const float *__restrict__ x, float *__restrict__ y)
{
    u32 m = blockIdx.x * blockDim.x + threadIdx.x;
    float a[64];
#pragma unroll
    for (int k = 0; k < 64; k++)
        a[k] = x[m * 64 + k];
    lu8_factor(a);
#pragma unroll
    for (int k = 0; k < 64; k++)
        y[m * 64 + k] = a[k];
}

KERNEL lu8_staged(const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ float s[64][65];
    u32 t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 4096;
#pragma unroll 16
    for (int m = 0; m < 64; m++)
        s[m][t] = x[base + m * 64 + t];
    __syncthreads();
    float a[64];
#pragma unroll
    for (int k = 0; k < 64; k++)
        a[k] = s[t][k];
    lu8_factor(a);
#pragma unroll
    for (int k = 0; k < 64; k++)
        s[t][k] = a[k];
    __syncthreads();
#pragma unroll 16
    for (int m = 0; m < 64; m++)
        y[base + m * 64 + t] = s[m][t];
}

// ---- reflect: a Householder reflection of a matrix of 512 rows and 16384 columns; a thread a column in two long passes, or 16 threads a column with the entries kept in registers
KERNEL reflect_column(const float *__restrict__ x, float *__restrict__ y, u32 rows, u32 columns, u32 v_at)
{
    u32 c = blockIdx.x * blockDim.x + threadIdx.x;
    const float *v = x + v_at;
    float dot = 0, vv = 0;
    for (u32 r = 0; r < rows; r++) {
        dot += v[r] * x[r * columns + c];
        vv += v[r] * v[r];
    }
    float f = 2.0f * dot / vv;
    for (u32 r = 0; r < rows; r++)
        y[r * columns + c] = x[r * columns + c] - f * v[r];
}

KERNEL reflect_split(const float *__restrict__ x, float *__restrict__ y, u32 columns, u32 v_at)
{
    __shared__ float sd[16][32], sv[16];
    u32 c = blockIdx.x * 32 + threadIdx.x;
    const float *v = x + v_at;
    float a[32];
    float dot = 0, vv = 0;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        u32 r = i * 16 + threadIdx.y;
        a[i] = x[r * columns + c];
        float w = v[r];
        dot += w * a[i];
        vv += w * w;
    }
    sd[threadIdx.y][threadIdx.x] = dot;
    if (threadIdx.x == 0)
        sv[threadIdx.y] = vv;
    __syncthreads();
    dot = vv = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        dot += sd[k][threadIdx.x];
        vv += sv[k];
    }
    float f = 2.0f * dot / vv;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        u32 r = i * 16 + threadIdx.y;
        y[r * columns + c] = a[i] - f * v[r];
    }
}

// ---- viewshed: which cells of 4096 rows of 1024 are seen from the row's left end; a thread walks a row with a running maximum, or a warp takes 32 cells at a time with a shuffle scan
KERNEL viewshed_walk(const float *__restrict__ x, u8 *__restrict__ y, u32 columns)
{
    u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *h = x + (size_t)row * columns;
    u8 *o = y + (size_t)row * columns;
    float eye = h[0] + 2.0f, top = -1e30f;
    o[0] = 1;
    for (u32 c = 1; c < columns; c++) {
        float slope = (h[c] - eye) / (float)c;
        o[c] = slope > top;
        top = fmaxf(top, slope);
    }
}

KERNEL viewshed_scan(const float *__restrict__ x, u8 *__restrict__ y, u32 columns)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 row = t >> 5, lane = t & 31;
    const float *h = x + (size_t)row * columns;
    u8 *o = y + (size_t)row * columns;
    float eye = h[0] + 2.0f, top = -1e30f;
    for (u32 first = 0; first < columns; first += 32) {
        u32 c = first + lane;
        float slope = c == 0 ? -1e30f : (h[c] - eye) / (float)c;
        float high = slope;
#pragma unroll
        for (int k = 1; k < 32; k <<= 1) {
            float n = __shfl_up_sync(0xffffffffu, high, k);
            if (lane >= k)
                high = fmaxf(high, n);
        }
        float before = __shfl_up_sync(0xffffffffu, high, 1);
        before = lane == 0 ? top : fmaxf(top, before);
        o[c] = c == 0 || slope > before;
        top = fmaxf(top, __shfl_sync(0xffffffffu, high, 31));
    }
}
