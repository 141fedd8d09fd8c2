// Pairs of kernels (two labs have three), a computation as first written and as improved for one textbook reason, from astronomy, genomics, robotics, telecom,
// text, vision, numerics and simulation, by somebody who did not know the model. Their times were modelled when the model stood still, and then measured,
// once: what docs/model-tables.md says of kernels that nobody looked at is theirs. Every kernel takes what its row in fresh.def says.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx fresh.cu
#include <cuda_fp16.h>
#include <cstdint>

#define KERNEL extern "C" __global__ void

// ---- dedisp: sum of 256 radio channels, each delayed for a trial dispersion; delays worked out per sample, from a shared table, four trials a thread
static const int DCH = 256, DSTRIDE = 20480, DOUT = 16384;

__device__ __forceinline__ int dedisp_delay(int c, int dm) {
    float f = 1.5f - 0.3f * (float)c / 256.0f;
    return (int)(60.0f * (float)dm * (1.0f / (f * f) - 1.0f / 2.25f));
}

KERNEL dedisp_direct(const float* __restrict__ x, float* __restrict__ y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int dm = blockIdx.y;
    float s = 0.0f;
    for (int c = 0; c < DCH; c++)
        s += x[c * DSTRIDE + t + dedisp_delay(c, dm)];
    y[dm * DOUT + t] = s;
}

KERNEL dedisp_table(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ int delay[DCH];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int dm = blockIdx.y;
    for (int c = threadIdx.x; c < DCH; c += blockDim.x) delay[c] = dedisp_delay(c, dm);
    __syncthreads();
    float s = 0.0f;
    for (int c = 0; c < DCH; c++)
        s += x[c * DSTRIDE + t + delay[c]];
    y[dm * DOUT + t] = s;
}

KERNEL dedisp_four(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ int4 delay[DCH];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int dm = blockIdx.y * 4;
    for (int c = threadIdx.x; c < DCH; c += blockDim.x)
        delay[c] = make_int4(dedisp_delay(c, dm), dedisp_delay(c, dm + 1), dedisp_delay(c, dm + 2), dedisp_delay(c, dm + 3));
    __syncthreads();
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    for (int c = 0; c < DCH; c++) {
        const float* p = x + c * DSTRIDE + t;
        int4 q = delay[c];
        s0 += p[q.x];
        s1 += p[q.y];
        s2 += p[q.z];
        s3 += p[q.w];
    }
    y[(dm + 0) * DOUT + t] = s0;
    y[(dm + 1) * DOUT + t] = s1;
    y[(dm + 2) * DOUT + t] = s2;
    y[(dm + 3) * DOUT + t] = s3;
}

// ---- trim: 3' quality trimming of reads of 128 bytes, the position of the largest suffix sum; a thread per read against a warp per read
KERNEL trim_thread(const uint8_t* __restrict__ d, unsigned* __restrict__ z, int threshold) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    const uint8_t* q = d + (size_t)r * 128;
    int s = 0, most = 0, cut = 128;
    for (int i = 127; i >= 0; i--) {
        s += threshold - (q[i] & 63);
        if (s > most) {
            most = s;
            cut = i;
        }
    }
    z[r] = cut;
}

KERNEL trim_warp(const unsigned* __restrict__ d, unsigned* __restrict__ z, int threshold) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    unsigned w = d[r * 32 + lane];
    int s3 = threshold - (int)((w >> 24) & 63);
    int s2 = s3 + threshold - (int)((w >> 16) & 63);
    int s1 = s2 + threshold - (int)((w >> 8) & 63);
    int s0 = s1 + threshold - (int)(w & 63);
    int after = s0;
    for (int h = 1; h < 32; h <<= 1) {
        int v = __shfl_down_sync(0xffffffffu, after, h);
        if (lane + h < 32) after += v;
    }
    after -= s0;
    int i = lane * 4;
    int key = 128;
    key = max(key, (after + s3) * 256 + i + 3);
    key = max(key, (after + s2) * 256 + i + 2);
    key = max(key, (after + s1) * 256 + i + 1);
    key = max(key, (after + s0) * 256 + i);
    key = __reduce_max_sync(0xffffffffu, key);
    if (lane == 0) z[r] = key & 255;
}

// ---- minimizer: smallest hash of the w k-mers from each base; every thread hashes all w against hashes shared by the block
__device__ __forceinline__ unsigned kmer_hash(const uint8_t* __restrict__ p, int k) {
    unsigned code = 0;
    for (int i = 0; i < k; i++) code = code * 4 + (p[i] & 3);
    code *= 0x9E3779B1u;
    code ^= code >> 15;
    code *= 0x85EBCA77u;
    return code ^ (code >> 13);
}

KERNEL minimizer_alone(const uint8_t* __restrict__ d, unsigned* __restrict__ z, int k, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned least = 0xffffffffu;
    for (int j = 0; j < w; j++) least = min(least, kmer_hash(d + i + j, k));
    z[i] = least;
}

KERNEL minimizer_shared(const uint8_t* __restrict__ d, unsigned* __restrict__ z, int k, int w) {
    __shared__ unsigned hash[256 + 32];
    int start = blockIdx.x * blockDim.x;
    for (int j = threadIdx.x; j < (int)blockDim.x + w - 1; j += blockDim.x)
        hash[j] = kmer_hash(d + start + j, k);
    __syncthreads();
    unsigned least = 0xffffffffu;
    for (int j = 0; j < w; j++) least = min(least, hash[threadIdx.x + j]);
    z[start + threadIdx.x] = least;
}

// ---- swcell: Smith-Waterman score of 16 bases against 24, a pair a thread, the row in shared memory; a row after a row against interleaved (bank conflicts)
__device__ __forceinline__ int sw_score(int* row, int stride, int n, unsigned query, unsigned long long target) {
    for (int j = 0; j < n; j++) row[j * stride] = 0;
    int best = 0;
    for (int i = 0; i < 24; i++) {
        unsigned t = (unsigned)(target >> (2 * i)) & 3;
        int diag = 0, left = 0;
        for (int j = 0; j < n; j++) {
            int up = row[j * stride];
            int h = diag + (((query >> (2 * j)) & 3) == t ? 2 : -1);
            h = max(max(h, 0), max(up, left) - 1);
            row[j * stride] = h;
            best = max(best, h);
            diag = up;
            left = h;
        }
    }
    return best;
}

KERNEL swcell_rows(const unsigned* __restrict__ d, int* __restrict__ z, int n) {
    __shared__ int rows[128 * 16];
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long target = d[p + 65536] | ((unsigned long long)d[p + 131072] << 32);
    z[p] = sw_score(rows + threadIdx.x * n, 1, n, d[p], target);
}

KERNEL swcell_interleaved(const unsigned* __restrict__ d, int* __restrict__ z, int n) {
    __shared__ int rows[128 * 16];
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long target = d[p + 65536] | ((unsigned long long)d[p + 131072] << 32);
    z[p] = sw_score(rows + threadIdx.x, 128, n, d[p], target);
}

// ---- voxels: point count and coordinate sums of an 8 x 8 x 8 voxel grid; atomics in global memory against fixed point in shared memory, flushed once
__device__ __forceinline__ int voxel_of(float a, float b, float c) {
    const float k = 8.0f / 143.0f;
    return ((int)(c * k) * 8 + (int)(b * k)) * 8 + (int)(a * k);
}

KERNEL voxels_global(const float* __restrict__ x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    float* cell = y + 4 * voxel_of(a, b, c);
    atomicAdd(cell + 0, a);
    atomicAdd(cell + 1, b);
    atomicAdd(cell + 2, c);
    atomicAdd(cell + 3, 1.0f);
}

KERNEL voxels_shared(const float* __restrict__ x, float* y, int n) {
    __shared__ int cells[512 * 4];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) cells[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
        int* cell = cells + 4 * voxel_of(a, b, c);
        atomicAdd(cell + 0, (int)(a * 1024.0f));
        atomicAdd(cell + 1, (int)(b * 1024.0f));
        atomicAdd(cell + 2, (int)(c * 1024.0f));
        atomicAdd(cell + 3, 1024);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        if (cells[k] != 0) atomicAdd(y + k, (float)cells[k] * (1.0f / 1024.0f));
}

// ---- arm: inverse kinematics of a planar arm of three joints, 12 steps of the transposed Jacobian; double, float, float with fast sine and cosine
template <typename T> __device__ __forceinline__ void sine_cosine(T a, T* s, T* c);
template <> __device__ __forceinline__ void sine_cosine<double>(double a, double* s, double* c) { sincos(a, s, c); }
template <> __device__ __forceinline__ void sine_cosine<float>(float a, float* s, float* c) { sincosf(a, s, c); }

KERNEL arm_double(const float2* __restrict__ x, float4* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double tx = x[i].x * 0.025 - 1.8, ty = x[i].y * 0.025 - 1.8;
    double q1 = 0.3, q2 = 0.4, q3 = 0.5;
    for (int k = 0; k < 12; k++) {
        double s1, c1, s2, c2, s3, c3;
        sine_cosine<double>(q1, &s1, &c1);
        sine_cosine<double>(q1 + q2, &s2, &c2);
        sine_cosine<double>(q1 + q2 + q3, &s3, &c3);
        double ex = tx - (c1 + 0.8 * c2 + 0.5 * c3);
        double ey = ty - (s1 + 0.8 * s2 + 0.5 * s3);
        double g3 = 0.5 * (c3 * ey - s3 * ex);
        double g2 = g3 + 0.8 * (c2 * ey - s2 * ex);
        double g1 = g2 + (c1 * ey - s1 * ex);
        q1 += 0.12 * g1;
        q2 += 0.12 * g2;
        q3 += 0.12 * g3;
    }
    y[i] = make_float4((float)q1, (float)q2, (float)q3, 0.0f);
}

KERNEL arm_float(const float2* __restrict__ x, float4* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float tx = x[i].x * 0.025f - 1.8f, ty = x[i].y * 0.025f - 1.8f;
    float q1 = 0.3f, q2 = 0.4f, q3 = 0.5f;
    for (int k = 0; k < 12; k++) {
        float s1, c1, s2, c2, s3, c3;
        sine_cosine<float>(q1, &s1, &c1);
        sine_cosine<float>(q1 + q2, &s2, &c2);
        sine_cosine<float>(q1 + q2 + q3, &s3, &c3);
        float ex = tx - (c1 + 0.8f * c2 + 0.5f * c3);
        float ey = ty - (s1 + 0.8f * s2 + 0.5f * s3);
        float g3 = 0.5f * (c3 * ey - s3 * ex);
        float g2 = g3 + 0.8f * (c2 * ey - s2 * ex);
        float g1 = g2 + (c1 * ey - s1 * ex);
        q1 += 0.12f * g1;
        q2 += 0.12f * g2;
        q3 += 0.12f * g3;
    }
    y[i] = make_float4(q1, q2, q3, 0.0f);
}

KERNEL arm_fast(const float2* __restrict__ x, float4* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float tx = x[i].x * 0.025f - 1.8f, ty = x[i].y * 0.025f - 1.8f;
    float q1 = 0.3f, q2 = 0.4f, q3 = 0.5f;
    for (int k = 0; k < 12; k++) {
        float s1, c1, s2, c2, s3, c3;
        __sincosf(q1, &s1, &c1);
        __sincosf(q1 + q2, &s2, &c2);
        __sincosf(q1 + q2 + q3, &s3, &c3);
        float ex = tx - (c1 + 0.8f * c2 + 0.5f * c3);
        float ey = ty - (s1 + 0.8f * s2 + 0.5f * s3);
        float g3 = 0.5f * (c3 * ey - s3 * ex);
        float g2 = g3 + 0.8f * (c2 * ey - s2 * ex);
        float g1 = g2 + (c1 * ey - s1 * ex);
        q1 += 0.12f * g1;
        q2 += 0.12f * g2;
        q3 += 0.12f * g3;
    }
    y[i] = make_float4(q1, q2, q3, 0.0f);
}

// ---- secded: corrects extended Hamming (32, 26) words and takes out the data bits; bit by bit against parity masks with popc and shifts
KERNEL secded_bits(const unsigned* __restrict__ d, unsigned* __restrict__ z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w = d[i];
    unsigned syndrome = 0, parity = w & 1;
    for (unsigned b = 1; b < 32; b++) {
        if ((w >> b) & 1) {
            syndrome ^= b;
            parity ^= 1;
        }
    }
    if (parity) w ^= 1u << syndrome;
    unsigned data = 0, n = 0;
    for (unsigned b = 1; b < 32; b++) {
        if ((b & (b - 1)) != 0) {
            data |= ((w >> b) & 1) << n;
            n++;
        }
    }
    if (!parity && syndrome) data |= 0x80000000u;
    z[i] = data;
}

KERNEL secded_masks(const unsigned* __restrict__ d, unsigned* __restrict__ z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w = d[i];
    unsigned syndrome = (__popc(w & 0xAAAAAAAAu) & 1) | (__popc(w & 0xCCCCCCCCu) & 1) << 1 | (__popc(w & 0xF0F0F0F0u) & 1) << 2 |
                        (__popc(w & 0xFF00FF00u) & 1) << 3 | (__popc(w & 0xFFFF0000u) & 1) << 4;
    unsigned parity = __popc(w) & 1;
    w ^= parity << syndrome;
    unsigned data = ((w >> 3) & 1) | ((w >> 5) & 7) << 1 | ((w >> 9) & 0x7f) << 4 | (w >> 17) << 11;
    if (!parity && syndrome) data |= 0x80000000u;
    z[i] = data;
}

// ---- ldpc: min-sum update of check nodes, each edge the sign and least size of the others; all pairs against one pass that keeps the two least
KERNEL ldpc_pairs(const float* __restrict__ x, float* __restrict__ y, int checks, int degree) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= checks) return;
    for (int e = 0; e < degree; e++) {
        float least = 1e30f, sign = 0.75f;
        for (int f = 0; f < degree; f++) {
            if (f != e) {
                float v = x[f * checks + m] - 71.4f;
                least = fminf(least, fabsf(v));
                if (v < 0.0f) sign = -sign;
            }
        }
        y[e * checks + m] = sign * least;
    }
}

KERNEL ldpc_twoleast(const float* __restrict__ x, float* __restrict__ y, int checks, int degree) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= checks) return;
    float least = 1e30f, second = 1e30f, sign = 0.75f;
    int where = 0;
    unsigned negative = 0;
    for (int e = 0; e < degree; e++) {
        float v = x[e * checks + m] - 71.4f;
        float a = fabsf(v);
        if (v < 0.0f) {
            sign = -sign;
            negative |= 1u << e;
        }
        if (a < least) {
            second = least;
            least = a;
            where = e;
        } else {
            second = fminf(second, a);
        }
    }
    for (int e = 0; e < degree; e++) {
        float v = sign * (e == where ? second : least);
        y[e * checks + m] = (negative >> e) & 1 ? -v : v;
    }
}

// ---- casefold: ASCII capitals to small letters; a byte a thread against 16 bytes a thread, four letters to a word
KERNEL casefold_byte(const uint8_t* __restrict__ d, uint8_t* __restrict__ z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint8_t c = d[i];
    if (c >= 'A' && c <= 'Z') c += 32;
    z[i] = c;
}

__device__ __forceinline__ unsigned fold_word(unsigned w) {
    unsigned h = w & 0x7f7f7f7fu;
    unsigned from_a = h + 0x3f3f3f3fu;
    unsigned past_z = h + 0x25252525u;
    return w | ((from_a & ~past_z & ~w & 0x80808080u) >> 2);
}

KERNEL casefold_vector(const uint4* __restrict__ d, uint4* __restrict__ z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 w = d[i];
    w.x = fold_word(w.x);
    w.y = fold_word(w.y);
    w.z = fold_word(w.z);
    w.w = fold_word(w.w);
    z[i] = w;
}

// ---- csv: positions of the separators of each 512 bytes, packed in order; a scan in shared memory with a barrier a step against ballot and popc
KERNEL csv_steps(const uint8_t* __restrict__ d, unsigned* __restrict__ y, unsigned* __restrict__ z) {
    __shared__ int count[512];
    int t = threadIdx.x;
    int i = blockIdx.x * 512 + t;
    int comma = (d[i] & 15) == 12;
    count[t] = comma;
    __syncthreads();
    for (int h = 1; h < 512; h *= 2) {
        int v = t >= h ? count[t - h] : 0;
        __syncthreads();
        count[t] += v;
        __syncthreads();
    }
    if (comma) z[blockIdx.x * 512 + count[t] - 1] = i;
    if (t == 511) y[blockIdx.x] = count[t];
}

KERNEL csv_ballot(const uint8_t* __restrict__ d, unsigned* __restrict__ y, unsigned* __restrict__ z) {
    __shared__ int total[16];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int i = blockIdx.x * 512 + t;
    int comma = (d[i] & 15) == 12;
    unsigned bits = __ballot_sync(0xffffffffu, comma);
    if (lane == 0) total[warp] = __popc(bits);
    __syncthreads();
    if (warp == 0) {
        int s = lane < 16 ? total[lane] : 0;
        for (int h = 1; h < 16; h *= 2) {
            int v = __shfl_up_sync(0xffffffffu, s, h);
            if (lane >= h) s += v;
        }
        if (lane < 16) total[lane] = s;
        if (lane == 15) y[blockIdx.x] = s;
    }
    __syncthreads();
    int before = (warp > 0 ? total[warp - 1] : 0) + __popc(bits & ((1u << lane) - 1));
    if (comma) z[blockIdx.x * 512 + before] = i;
}

// ---- stereo: matching costs of a pair of images at 64 disparities; the disparities of a pixel side by side in memory against one plane per disparity
static const int SW = 512, SH = 512, SD = 64, SPITCH = 640, SLEFT = 80;

KERNEL stereo_pixels(const uint8_t* __restrict__ d, float* __restrict__ z) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
    const uint8_t* left = d + py * SPITCH + SLEFT + px;
    const uint8_t* right = left + (1 << 20);
    int l0 = left[-1], l1 = left[0], l2 = left[1];
    for (int k = 0; k < SD; k++) {
        int cost = abs(l0 - right[-k - 1]) + abs(l1 - right[-k]) + abs(l2 - right[-k + 1]);
        z[(py * SW + px) * SD + k] = (float)cost;
    }
}

KERNEL stereo_planes(const uint8_t* __restrict__ d, float* __restrict__ z) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
    const uint8_t* left = d + py * SPITCH + SLEFT + px;
    const uint8_t* right = left + (1 << 20);
    int l0 = left[-1], l1 = left[0], l2 = left[1];
    for (int k = 0; k < SD; k++) {
        int cost = abs(l0 - right[-k - 1]) + abs(l1 - right[-k]) + abs(l2 - right[-k + 1]);
        z[k * SW * SH + py * SW + px] = (float)cost;
    }
}

// ---- bayer: bilinear demosaicing of an RGGB picture of 4096 x 2048; a pixel a thread, branching on its colour, against a square of four a thread
static const int BW = 4096, BH = 2048, BPITCH = 4100;

KERNEL bayer_pixel(const float* __restrict__ x, float* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    const float* p = x + (j + 1) * BPITCH + i + 1;
    float r, g, b;
    if ((j & 1) == 0 && (i & 1) == 0) {
        r = p[0];
        g = 0.25f * (p[-1] + p[1] + p[-BPITCH] + p[BPITCH]);
        b = 0.25f * (p[-BPITCH - 1] + p[-BPITCH + 1] + p[BPITCH - 1] + p[BPITCH + 1]);
    } else if ((j & 1) == 0) {
        r = 0.5f * (p[-1] + p[1]);
        g = p[0];
        b = 0.5f * (p[-BPITCH] + p[BPITCH]);
    } else if ((i & 1) == 0) {
        r = 0.5f * (p[-BPITCH] + p[BPITCH]);
        g = p[0];
        b = 0.5f * (p[-1] + p[1]);
    } else {
        r = 0.25f * (p[-BPITCH - 1] + p[-BPITCH + 1] + p[BPITCH - 1] + p[BPITCH + 1]);
        g = 0.25f * (p[-1] + p[1] + p[-BPITCH] + p[BPITCH]);
        b = p[0];
    }
    int o = j * BW + i;
    y[o] = r;
    y[o + BW * BH] = g;
    y[o + 2 * BW * BH] = b;
}

KERNEL bayer_quad(const float* __restrict__ x, float* __restrict__ y) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x), j = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    const float* p = x + j * BPITCH + i;
    float a[4][4];
#pragma unroll
    for (int v = 0; v < 4; v++)
#pragma unroll
        for (int u = 0; u < 4; u++) a[v][u] = p[v * BPITCH + u];
    float2* o = (float2*)(y + j * BW + i);
    const int row = BW / 2, plane = BW * BH / 2;
    o[0] = make_float2(a[1][1], 0.5f * (a[1][1] + a[1][3]));
    o[row] = make_float2(0.5f * (a[1][1] + a[3][1]), 0.25f * (a[1][1] + a[1][3] + a[3][1] + a[3][3]));
    o[plane] = make_float2(0.25f * (a[1][0] + a[1][2] + a[0][1] + a[2][1]), a[1][2]);
    o[plane + row] = make_float2(a[2][1], 0.25f * (a[2][1] + a[2][3] + a[1][2] + a[3][2]));
    o[2 * plane] = make_float2(0.25f * (a[0][0] + a[0][2] + a[2][0] + a[2][2]), 0.5f * (a[0][2] + a[2][2]));
    o[2 * plane + row] = make_float2(0.5f * (a[2][0] + a[2][2]), a[2][2]);
}

// ---- estrin: a polynomial of degree 15 iterated on its own result, few warps; Horner's chain against Estrin's tree (instruction-level parallelism)
KERNEL estrin_horner(const float* __restrict__ x, float* __restrict__ y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float c[16];
#pragma unroll
    for (int k = 0; k < 16; k++) c[k] = x[i + k * 65536] * 0.05f;
    float v = x[i + 1048576] * 0.007f;
    for (int r = 0; r < rounds; r++) {
        float s = c[15];
#pragma unroll
        for (int k = 14; k >= 0; k--) s = s * v + c[k];
        v = s - floorf(s);
    }
    y[i] = v;
}

KERNEL estrin_tree(const float* __restrict__ x, float* __restrict__ y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float c[16];
#pragma unroll
    for (int k = 0; k < 16; k++) c[k] = x[i + k * 65536] * 0.05f;
    float v = x[i + 1048576] * 0.007f;
    for (int r = 0; r < rounds; r++) {
        float v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
        float a[8];
#pragma unroll
        for (int k = 0; k < 8; k++) a[k] = c[2 * k + 1] * v + c[2 * k];
#pragma unroll
        for (int k = 0; k < 4; k++) a[k] = a[2 * k + 1] * v2 + a[2 * k];
        a[0] = a[1] * v4 + a[0];
        a[1] = a[3] * v4 + a[2];
        float s = a[1] * v8 + a[0];
        v = s - floorf(s);
    }
    y[i] = v;
}

// ---- epidemic: how many of 16 chance contacts of each of a million people are infected; a byte a person against a bit a person
__device__ __forceinline__ unsigned contact(unsigned i, unsigned k, unsigned people) {
    unsigned h = i * 0x9E3779B1u + k * 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    h ^= h >> 14;
    return h & (people - 1);
}

KERNEL epidemic_bytes(const uint8_t* __restrict__ d, float* __restrict__ y, unsigned people) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int ill = 0;
    for (unsigned k = 0; k < 16; k++) ill += d[contact(i, k, people)] & 1;
    y[i] = 0.05f * ill;
}

KERNEL epidemic_bits(const unsigned* __restrict__ d, float* __restrict__ y, unsigned people) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int ill = 0;
    for (unsigned k = 0; k < 16; k++) {
        unsigned j = contact(i, k, people);
        ill += (d[j >> 5] >> (j & 31)) & 1;
    }
    y[i] = 0.05f * ill;
}

// ---- cloth: spring forces on the nodes of a 1024 x 1024 sheet; each node scatters three springs with atomics against gathering its own six
static const int CW = 1024, CH = 1024, CN = CW * CH;

__device__ __forceinline__ float3 spring(const float* __restrict__ x, float3 a, int j, float rest) {
    float3 f = make_float3(x[j] - a.x, x[j + CN] - a.y, x[j + 2 * CN] - a.z);
    float len = sqrtf(f.x * f.x + f.y * f.y + f.z * f.z) + 1e-6f;
    float k = 0.4f * (len - rest) / len;
    return make_float3(k * f.x, k * f.y, k * f.z);
}

__device__ __forceinline__ void scatter(float* y, int i, int j, float3 f) {
    atomicAdd(y + i, f.x);
    atomicAdd(y + i + CN, f.y);
    atomicAdd(y + i + 2 * CN, f.z);
    atomicAdd(y + j, -f.x);
    atomicAdd(y + j + CN, -f.y);
    atomicAdd(y + j + 2 * CN, -f.z);
}

KERNEL cloth_scatter(const float* __restrict__ x, float* y) {
    int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y;
    int i = v * CW + u;
    float3 a = make_float3(x[i], x[i + CN], x[i + 2 * CN]);
    if (u + 1 < CW) scatter(y, i, i + 1, spring(x, a, i + 1, 1.0f));
    if (v + 1 < CH) scatter(y, i, i + CW, spring(x, a, i + CW, 1.0f));
    if (u + 1 < CW && v + 1 < CH) scatter(y, i, i + CW + 1, spring(x, a, i + CW + 1, 1.4142f));
}

KERNEL cloth_gather(const float* __restrict__ x, float* __restrict__ y) {
    int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y;
    int i = v * CW + u;
    float3 a = make_float3(x[i], x[i + CN], x[i + 2 * CN]);
    float3 s = make_float3(0.0f, 0.0f, 0.0f), f;
#define PULL(ok, j, rest) if (ok) { f = spring(x, a, j, rest); s.x += f.x; s.y += f.y; s.z += f.z; }
    PULL(u + 1 < CW, i + 1, 1.0f)
    PULL(u > 0, i - 1, 1.0f)
    PULL(v + 1 < CH, i + CW, 1.0f)
    PULL(v > 0, i - CW, 1.0f)
    PULL(u + 1 < CW && v + 1 < CH, i + CW + 1, 1.4142f)
    PULL(u > 0 && v > 0, i - CW - 1, 1.4142f)
#undef PULL
    y[i] = s.x;
    y[i + CN] = s.y;
    y[i + 2 * CN] = s.z;
}

// ---- cup: Monte Carlo of a knock-out cup of 64 teams with a chance draw, a cup a thread, brackets in shared memory; as ints against as bytes (occupancy)
template <typename T>
__device__ __forceinline__ unsigned play_cup(T* slot, const float* rating, unsigned seed) {
    for (int k = 0; k < 64; k++) slot[k * 128] = (T)k;
    for (int k = 63; k > 0; k--) {
        seed = seed * 1664525u + 1013904223u;
        int j = (int)(((seed >> 16) * (unsigned)(k + 1)) >> 16);
        T a = slot[k * 128];
        slot[k * 128] = slot[j * 128];
        slot[j * 128] = a;
    }
    for (int left = 32; left > 0; left /= 2) {
        for (int k = 0; k < left; k++) {
            seed = seed * 1664525u + 1013904223u;
            float chance = (float)(seed >> 8) * (1.0f / 16777216.0f);
            T a = slot[2 * k * 128], b = slot[(2 * k + 1) * 128];
            float ra = rating[a], rb = rating[b];
            slot[k * 128] = chance * (ra + rb) < ra ? a : b;
        }
    }
    return slot[0];
}

KERNEL cup_ints(const float* __restrict__ x, const unsigned* __restrict__ d, unsigned* __restrict__ z) {
    extern __shared__ int cup_slots_i[];
    __shared__ float rating[64];
    if (threadIdx.x < 64) rating[threadIdx.x] = x[threadIdx.x] + 20.0f;
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    z[i] = play_cup<int>(cup_slots_i + threadIdx.x, rating, d[i]);
}

KERNEL cup_bytes(const float* __restrict__ x, const unsigned* __restrict__ d, unsigned* __restrict__ z) {
    extern __shared__ uint8_t cup_slots_b[];
    __shared__ float rating[64];
    if (threadIdx.x < 64) rating[threadIdx.x] = x[threadIdx.x] + 20.0f;
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    z[i] = play_cup<uint8_t>(cup_slots_b + threadIdx.x, rating, d[i]);
}

// ---- walsh: Walsh-Hadamard transforms of 1024 values (spreading codes), a block each; every step in shared memory against warp shuffles and one exchange
KERNEL walsh_shared(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    s[t] = x[base + t];
    s[t + 512] = x[base + t + 512];
    for (int h = 1; h < 1024; h *= 2) {
        __syncthreads();
        int i = (t & ~(h - 1)) * 2 + (t & (h - 1));
        float a = s[i], b = s[i + h];
        s[i] = a + b;
        s[i + h] = a - b;
    }
    __syncthreads();
    y[base + t] = s[t];
    y[base + t + 512] = s[t + 512];
}

__device__ __forceinline__ float butterfly(float v, int h) {
    float o = __shfl_xor_sync(0xffffffffu, v, h);
    return (threadIdx.x & h) ? o - v : o + v;
}

KERNEL walsh_shuffle(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float s[2][512 + 16];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    float p = x[base + t], q = x[base + t + 512];
    float a = p + q, b = p - q;
#pragma unroll
    for (int h = 1; h < 32; h *= 2) {
        a = butterfly(a, h);
        b = butterfly(b, h);
    }
    int o = t + (t >> 5);
    s[0][o] = a;
    s[1][o] = b;
    __syncthreads();
    int e = ((t & 15) << 5) | (t >> 4);
    int oe = e + (e >> 5);
    a = s[0][oe];
    b = s[1][oe];
#pragma unroll
    for (int h = 1; h < 16; h *= 2) {
        a = butterfly(a, h);
        b = butterfly(b, h);
    }
    s[0][oe] = a;
    s[1][oe] = b;
    __syncthreads();
    y[base + t] = s[0][o];
    y[base + t + 512] = s[1][o];
}

// ---- cheby: Chebyshev series of 64 terms by Clenshaw's recurrence at each of 8 million points; float against half2, two points an instruction
KERNEL cheby_float(const float2* __restrict__ x, float2* __restrict__ y) {
    __shared__ float c[64];
    if (threadIdx.x < 64) c[threadIdx.x] = x[threadIdx.x].x * 0.007f / (float)(threadIdx.x + 1);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = x[i];
    float tx = v.x * (2.0f / 71.5f) - 2.0f, ty = v.y * (2.0f / 71.5f) - 2.0f;
    float bx = 0.0f, ax = 0.0f, by = 0.0f, ay = 0.0f;
#pragma unroll 8
    for (int k = 63; k > 0; k--) {
        float nx = tx * bx + (c[k] - ax), ny = ty * by + (c[k] - ay);
        ax = bx;
        ay = by;
        bx = nx;
        by = ny;
    }
    y[i] = make_float2(0.5f * tx * bx + (c[0] - ax), 0.5f * ty * by + (c[0] - ay));
}

KERNEL cheby_half2(const float2* __restrict__ x, float2* __restrict__ y) {
    __shared__ __half2 c[64];
    if (threadIdx.x < 64) c[threadIdx.x] = __float2half2_rn(x[threadIdx.x].x * 0.007f / (float)(threadIdx.x + 1));
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = x[i];
    __half2 t = __floats2half2_rn(v.x * (2.0f / 71.5f) - 2.0f, v.y * (2.0f / 71.5f) - 2.0f);
    __half2 b = __float2half2_rn(0.0f), a = b;
#pragma unroll 8
    for (int k = 63; k > 0; k--) {
        __half2 n = __hfma2(t, b, __hsub2(c[k], a));
        a = b;
        b = n;
    }
    __half2 r = __hfma2(__hmul2(__float2half2_rn(0.5f), t), b, __hsub2(c[0], a));
    y[i] = __half22float2(r);
}
