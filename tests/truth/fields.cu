// Kernels of fields that the other files here have none of: pictures, signals, genomes, graphs, lattices, finance, tables, digests, quantised
// layers. They were written, their times modelled and only then measured, once: what fields.def says of them tests the model.
// Every kernel takes what its row there says. Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx fields.cu
typedef unsigned u;
typedef unsigned char byte;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
__device__ __forceinline__ u mix(u h) {
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ h >> 16;
}

// ---- pictures: edges, medians, blurs, colours, curves, blocks
KERNEL edges_bytes(const byte *d, byte *y, int w) { // Sobel, a pixel a thread
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;
    const byte *p = d + r * w + c;
    int gx = p[1 - w] - p[-1 - w] + 2 * (p[1] - p[-1]) + p[1 + w] - p[w - 1];
    int gy = p[w - 1] - p[-1 - w] + 2 * (p[w] - p[-w]) + p[w + 1] - p[1 - w];
    y[r * w + c] = (byte)min(255, abs(gx) + abs(gy));
}
KERNEL edges_words(const byte *d, byte *y, int w) { // four pixels a thread, three words a row
    int c = 4 * INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 4 || r < 1 || c >= w - 4 || r >= w - 1) return;
    int v[3][6];
    for (int k = 0; k < 3; k++) {
        const byte *p = d + (r + k - 1) * w + c;
        uchar4 m = *(const uchar4 *)p;
        v[k][0] = p[-1], v[k][1] = m.x, v[k][2] = m.y, v[k][3] = m.z, v[k][4] = m.w, v[k][5] = p[4];
    }
    uchar4 o;
    byte *out = &o.x;
    for (int j = 0; j < 4; j++) {
        int gx = v[0][j + 2] - v[0][j] + 2 * (v[1][j + 2] - v[1][j]) + v[2][j + 2] - v[2][j];
        int gy = v[2][j] - v[0][j] + 2 * (v[2][j + 1] - v[0][j + 1]) + v[2][j + 2] - v[0][j + 2];
        out[j] = (byte)min(255, abs(gx) + abs(gy));
    }
    *(uchar4 *)(y + r * w + c) = o;
}
__device__ __forceinline__ void order(float &a, float &b) {
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}
KERNEL median_nine(const float *x, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;
    float v[9];
    for (int k = 0; k < 9; k++) v[k] = x[(r + k / 3 - 1) * w + c + k % 3 - 1];
    for (int i = 0; i < 5; i++) // the five smallest, in order
        for (int j = i + 1; j < 9; j++) order(v[i], v[j]);
    y[r * w + c] = v[4];
}
KERNEL blur_across(const float *x, float *y, int w) { // 15 taps along the row
    int c = INDEX, r = blockIdx.y;
    float s = 0;
    for (int k = -7; k <= 7; k++) s += x[r * w + min(max(c + k, 0), w - 1)];
    y[r * w + c] = s / 15;
}
KERNEL blur_down(const float *x, float *y, int w, int rows) { // a running sum down 64 rows of a column
    int c = INDEX, r = blockIdx.y * 64;
    float s = 0;
    for (int k = -7; k < 7; k++) s += x[min(max(r + k, 0), rows - 1) * w + c];
    for (int k = 0; k < 64; k++, r++) {
        s += x[min(r + 7, rows - 1) * w + c];
        y[r * w + c] = s / 15;
        s -= x[max(r - 7, 0) * w + c];
    }
}
KERNEL resize_half(const float *x, float *y, int w) { // w: of the result
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    float fc = c * 1.37f, fr = r * 1.37f;
    int ic = (int)fc, ir = (int)fr, from = 2 * w;
    float a = fc - ic, b = fr - ir;
    const float *p = x + ir * from + ic;
    y[r * w + c] = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[from] + a * p[from + 1]);
}
KERNEL colour_mixed(const byte *d, byte *y, int n) { // red, green, blue side by side
    int i = INDEX;
    if (i >= n) return;
    int r = d[3 * i], g = d[3 * i + 1], b = d[3 * i + 2];
    y[3 * i] = (byte)((66 * r + 129 * g + 25 * b + 4224) >> 8);
    y[3 * i + 1] = (byte)((-38 * r - 74 * g + 112 * b + 32896) >> 8);
    y[3 * i + 2] = (byte)((112 * r - 94 * g - 18 * b + 32896) >> 8);
}
KERNEL colour_planes(const byte *d, byte *y, int n) {
    int i = INDEX;
    if (i >= n) return;
    int r = d[i], g = d[n + i], b = d[2 * n + i];
    y[i] = (byte)((66 * r + 129 * g + 25 * b + 4224) >> 8);
    y[n + i] = (byte)((-38 * r - 74 * g + 112 * b + 32896) >> 8);
    y[2 * n + i] = (byte)((112 * r - 94 * g - 18 * b + 32896) >> 8);
}
KERNEL curve_global(const uchar4 *d, uchar4 *y, const byte *z, int n) { // a table of 256 bytes
    int i = INDEX;
    if (i >= n) return;
    uchar4 v = d[i];
    y[i] = make_uchar4(z[v.x], z[v.y], z[v.z], z[v.w]);
}
KERNEL curve_shared(const uchar4 *d, uchar4 *y, const byte *z, int n) {
    __shared__ byte t[256];
    t[threadIdx.x] = z[threadIdx.x];
    __syncthreads();
    int i = INDEX;
    if (i >= n) return;
    uchar4 v = d[i];
    y[i] = make_uchar4(t[v.x], t[v.y], t[v.z], t[v.w]);
}
KERNEL cosine_blocks(const float *x, float *y, int w) { // the cosine transform of 8 by 8 pixels, 32 by 8 a block of threads
    __shared__ float a[8][33], b[8][33], m[8][9];
    int t = threadIdx.x, r = threadIdx.y, c = INDEX, row = blockIdx.y * 8 + r;
    if (t < 8) m[r][t] = __cosf((2 * t + 1) * r * 0.19634954f) * (r ? 0.5f : 0.35355339f);
    a[r][t] = x[row * w + c];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 8; k++) s += m[r][k] * a[k][t];
    b[r][t] = s;
    __syncthreads();
    s = 0;
    for (int k = 0; k < 8; k++) s += b[r][(t & ~7) + k] * m[t & 7][k];
    y[row * w + c] = s;
}
KERNEL turn_bytes(const byte *d, byte *y, int w) {
    __shared__ byte t[32][36];
    int c = INDEX, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = d[(r + k) * w + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) y[(r + k) * w + c] = t[threadIdx.x][threadIdx.y + k];
}

// ---- cells: a byte a cell, or 32 in a word
KERNEL life_bytes(const byte *d, byte *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;
    for (int k = 0; k < 9; k++)
        if (k != 4) n += d[(r + k / 3 - 1) * w + c + k % 3 - 1] & 1;
    y[r * w + c] = n == 3 || (n == 2 && d[r * w + c] & 1);
}
KERNEL life_bits(const u *d, u *y, int w) { // w: words of a row
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;
    u one = 0, two = 0, four = 0;
    for (int k = -1; k <= 1; k++) {
        const u *p = d + (r + k) * w + c;
        u m = p[0], v[3] = {m << 1 | p[-1] >> 31, m >> 1 | p[1] << 31, k ? m : 0};
        for (int j = 0; j < 3; j++) {
            u carry = one & v[j];
            one ^= v[j];
            four |= two & carry;
            two ^= carry;
        }
    }
    y[r * w + c] = two & ~four & (one | d[r * w + c]);
}

// ---- signals
__device__ __forceinline__ float2 times(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
KERNEL fourier_shared(const float2 *x, float2 *y) { // 1,024 points a block of 512
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) s[__brev(t + 512 * k) >> 22] = x[blockIdx.x * 1024 + t + 512 * k];
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
        int j = t & (half - 1), at = 2 * (t - j) + j;
        float2 f;
        __sincosf(-3.14159265f * j / half, &f.y, &f.x);
        float2 a = s[at], b = times(s[at + half], f);
        s[at] = make_float2(a.x + b.x, a.y + b.y);
        s[at + half] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) y[blockIdx.x * 1024 + t + 512 * k] = s[t + 512 * k];
}
KERNEL fourier_lanes(const float2 *x, float2 *y) { // 32 points a warp
    int i = INDEX, lane = threadIdx.x & 31;
    float2 v = x[i - lane + (__brev(lane) >> 27)];
    for (int half = 1; half < 32; half *= 2) {
        float2 f, o;
        __sincosf(-3.14159265f * (lane & (half - 1)) / half, &f.y, &f.x);
        if (lane & half) v = times(v, f);
        o.x = __shfl_xor_sync(~0u, v.x, half), o.y = __shfl_xor_sync(~0u, v.y, half);
        v = lane & half ? make_float2(o.x - v.x, o.y - v.y) : make_float2(o.x + v.x, o.y + v.y);
    }
    y[i] = v;
}
KERNEL spectrum_product(const float2 *x, float2 *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = times(x[i], make_float2(x[i + n].x, -x[i + n].y));
}
KERNEL wavelet_levels(const float *x, float *y) { // Haar, 512 values and nine levels a block of 256
    __shared__ float s[512];
    int t = threadIdx.x, at = blockIdx.x * 512;
    s[t] = x[at + t], s[t + 256] = x[at + t + 256];
    for (int n = 256; n; n /= 2) {
        __syncthreads();
        float a, b;
        if (t < n) a = s[2 * t], b = s[2 * t + 1];
        __syncthreads();
        if (t < n) s[t] = (a + b) * 0.70710678f, y[at + n + t] = (a - b) * 0.70710678f;
    }
    if (t == 0) y[at] = s[0];
}

// ---- genomes
KERNEL distance_words(const u *d, u *y, int n) { // bits that differ, 256 bits against 64 others
    __shared__ u q[64][8];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) q[k / 8][k % 8] = d[k];
    __syncthreads();
    int i = INDEX;
    u v[8], best = ~0u;
    for (int k = 0; k < 8; k++) v[k] = d[k * n + i];
    for (int j = 0; j < 64; j++) {
        u s = 0;
        for (int k = 0; k < 8; k++) s += __popc(v[k] ^ q[j][k]);
        best = min(best, s << 8 | j);
    }
    y[i] = best;
}
KERNEL twelves_count(const byte *d, u *y, int n) { // words of twelve letters, each its count
    int i = INDEX;
    if (i >= n - 12) return;
    u word = 0;
    for (int k = 0; k < 12; k++) word = word << 2 | (d[i + k] & 3);
    atomicAdd(&y[word], 1u);
}
KERNEL align_diagonals(const byte *d, int *y) { // local alignment of 128 letters with 256, a diagonal at a time
    __shared__ int h[3][129];
    __shared__ byte b[256];
    int t = threadIdx.x, best = 0;
    byte mine = d[blockIdx.x * 384 + t] & 3;
    b[t] = d[blockIdx.x * 384 + 128 + t] & 3, b[t + 128] = d[blockIdx.x * 384 + 256 + t] & 3;
    for (int k = 0; k < 3; k++) h[k][t] = 0, h[k][128] = 0;
    __syncthreads();
    for (int s = 0, now = 2, last = 1, before = 0; s < 128 + 255; s++) {
        int j = s - t;
        if (j >= 0 && j < 256) {
            int v = max(0, h[before][t] + (mine == b[j] ? 2 : -1));
            v = max(v, max(h[last][t], h[last][t + 1]) - 2);
            h[now][t + 1] = v;
            best = max(best, v);
        }
        __syncthreads();
        int k = before;
        before = last, last = now, now = k;
    }
    for (int k = 16; k; k /= 2) best = max(best, __shfl_xor_sync(~0u, best, k));
    if (!(t & 31)) atomicMax(&y[blockIdx.x], best);
}

// ---- graphs: 16 edges at most a vertex, to where a hash says
KERNEL rank_pull(const float *x, float *y, int n) {
    int v = INDEX, degree = mix(v) & 15;
    float s = 0;
    for (int k = 0; k < degree; k++) s += x[mix(16 * v + k) & (n - 1)];
    y[v] = 0.15f + 0.85f * s;
}
KERNEL rank_push(const float *x, float *y, int n) {
    int v = INDEX, degree = mix(v) & 15;
    float s = x[v] * 0.06f;
    for (int k = 0; k < degree; k++) atomicAdd(&y[mix(16 * v + k) & (n - 1)], s);
}
KERNEL visit_level(const byte *d, int *y, int *z, int n) { // a sixteenth of the vertices is the frontier
    int v = INDEX;
    if (d[v] & 15) return;
    for (int k = 0; k < 12; k++) {
        u to = mix(12 * v + k) & (n - 1);
        if (!y[to] && !atomicCAS(&y[to], 0, 1)) z[1 + (atomicAdd(z, 1) & (n - 1))] = to;
    }
}

// ---- lattices and grids
template <bool parts> __device__ __forceinline__ void collide(const float *x, float *y, int n) {
    int i = INDEX;
    float f[9], rho = 0;
    for (int k = 0; k < 9; k++) f[k] = parts ? x[k * n + i] : x[9 * i + k], rho += f[k];
    float ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho, uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (int k = 0; k < 9; k++) {
        float w = k == 0 ? 4.f / 9 : k < 5 ? 1.f / 9 : 1.f / 36, cu = 3 * (cx[k] * ux + cy[k] * uy);
        float e = w * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        y[parts ? k * n + i : 9 * i + k] = f[k] + 0.6f * (e - f[k]);
    }
}
KERNEL lattice_parts(const float *x, float *y, int n) { collide<true>(x, y, n); }
KERNEL lattice_cells(const float *x, float *y, int n) { collide<false>(x, y, n); }
KERNEL heat_march(const float *x, float *y, int w) { // 64 planes, three of them in registers
    int i = INDEX, j = blockIdx.y % (w / 8) * 8 + threadIdx.y, k = blockIdx.y / (w / 8) * 64;
    if (i < 1 || j < 1 || i >= w - 1 || j >= w - 1) return;
    int at = (k * w + j) * w + i;
    float below = k ? x[at - w * w] : 0, here = x[at];
    for (int end = min(k + 64, w - 1); k < end; k++, at += w * w) {
        float above = x[at + w * w];
        y[at] = here + 0.1f * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w] + below + above - 6 * here);
        below = here, here = above;
    }
}
KERNEL forces_near(const float4 *x, float4 *y, int n, u far) { // 32 neighbours, from a list that a hash makes
    int i = INDEX;
    float4 p = x[i], f = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 32; k++) {
        float4 q = x[(i + (mix(32 * i + k) & far)) & (n - 1)];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        if (r2 < 3000) {
            float a = 1 / r2, b = a * a * a, c = b * (b - 0.5f) * a;
            f.x += c * dx, f.y += c * dy, f.z += c * dz;
        }
    }
    y[i] = f;
}

// ---- finance
__device__ __forceinline__ float below(float d) { return 0.5f * erfcf(-0.70710678f * d); }
KERNEL options_closed(const float *x, float *y, int n) {
    int i = INDEX;
    if (i >= n) return;
    float s = x[i] + 1, k = x[i + n] + 1, t = 0.01f * x[i + 2 * n] + 0.1f, v = 0.3f * sqrtf(t);
    float a = (logf(s / k) + 0.065f * t) / v, b = a - v, e = k * expf(-0.02f * t);
    float call = s * below(a) - e * below(b);
    y[i] = call, y[i + n] = call + e - s;
}
KERNEL options_tree(const float *x, float *y) { // 255 steps back, an option a block
    __shared__ float v[257];
    int t = threadIdx.x;
    float s = x[blockIdx.x] + 1, p = fmaxf(0, s * __expf(0.03f * (2 * t - 255)) - 100);
    v[t] = p;
    for (int n = 255; n; n--) {
        __syncthreads();
        float up = v[t + 1];
        __syncthreads();
        if (t < n) v[t] = p = 0.9998f * (0.49f * p + 0.51f * up);
    }
    if (!t) y[blockIdx.x] = p;
}
KERNEL options_paths(float *y, int steps) {
    u a = mix(INDEX) | 1;
    float s = 0, sum = 0;
    for (int k = 0; k < steps; k++) {
        a ^= a << 13, a ^= a >> 17, a ^= a << 5;
        float r = sqrtf(-2 * __logf((a >> 8) * 5.96e-8f + 1e-9f)), c, d;
        a = a * 1664525 + 1013904223;
        __sincosf((a >> 8) * 3.7450703e-7f, &c, &d);
        s += 0.01f * r * c, sum += __expf(s);
        s += 0.01f * r * d, sum += __expf(s);
    }
    y[INDEX] = fmaxf(0, sum / (2 * steps) - 1);
}

// ---- tables and columns
KERNEL insert_keys(u *y, int n, u mask) { // linear probing; no key is 0
    int i = INDEX;
    if (i >= n) return;
    u key = mix(i) | 1, at = key * 2654435761u & mask;
    for (int k = 0; k < 64; k++, at = (at + 1) & mask) {
        u was = atomicCAS(&y[at], 0, key);
        if (!was || was == key) return;
    }
}
KERNEL keep_atomic(const float *x, float *y, u *z, int n) {
    int i = INDEX;
    if (i < n && x[i] > 71) y[atomicAdd(z, 1u)] = x[i];
}
KERNEL keep_ballot(const float *x, float *y, u *z, int n) {
    int i = INDEX, lane = threadIdx.x & 31;
    float v = i < n ? x[i] : 0;
    u all = __ballot_sync(~0u, v > 71), base = 0;
    if (!lane) base = atomicAdd(z, __popc(all));
    base = __shfl_sync(~0u, base, 0);
    if (v > 71) y[base + __popc(all & ((1u << lane) - 1))] = v;
}
KERNEL group_sums(const byte *d, const float *x, float *y, int n) { // 256 groups, a copy a block
    __shared__ float s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i]], x[i]);
    __syncthreads();
    atomicAdd(&y[threadIdx.x], s[threadIdx.x]);
}
KERNEL lines_count(const uint4 *d, u *y, int n) { // bytes that are 10
    u s = 0;
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = d[i];
        s += __popc(__vcmpeq4(v.x, 0x0a0a0a0a)) + __popc(__vcmpeq4(v.y, 0x0a0a0a0a)) + __popc(__vcmpeq4(v.z, 0x0a0a0a0a)) +
             __popc(__vcmpeq4(v.w, 0x0a0a0a0a));
    }
    s = __reduce_add_sync(~0u, s);
    if (!(threadIdx.x & 31)) atomicAdd(y, s / 8);
}
KERNEL segments_sum(const float *x, const byte *d, float *y, int n) { // sums since the last head within the warp
    int i = INDEX, lane = threadIdx.x & 31;
    float v = x[i];
    u heads = __ballot_sync(~0u, (d[i] & 7) == 0) | 1, first = 31 - __clz(heads & (~0u >> (31 - lane)));
    for (int k = 1; k < 32; k *= 2) {
        float o = __shfl_up_sync(~0u, v, k);
        if (lane - k >= (int)first) v += o;
    }
    y[i] = v;
}
KERNEL digits_match(const u *d, u *y, int n) { // each digit's place among its warp's equal ones
    int i = INDEX, lane = threadIdx.x & 31;
    u v = d[i], place = 0;
    for (int k = 0; k < 32; k += 8) {
        u same = __match_any_sync(~0u, v >> k & 15);
        place = place << 8 | __popc(same & ((1u << lane) - 1));
    }
    y[i] = place;
}

// ---- digests
KERNEL digest_words(const u *d, u *y, int n) { // SHA-256's rounds; its constants are made, not read
    int i = INDEX;
    u w[16], s[8];
    for (int k = 0; k < 16; k++) w[k] = d[k * n + i];
    for (int k = 0; k < 8; k++) s[k] = 0x6a09e667u * (2 * k + 1);
#define TURN(v, r) __funnelshift_r(v, v, r)
#pragma unroll
    for (int k = 0; k < 64; k++) {
        if (k >= 16) {
            u a = w[(k + 1) & 15], b = w[(k + 14) & 15];
            w[k & 15] += (TURN(a, 7) ^ TURN(a, 18) ^ a >> 3) + w[(k + 9) & 15] + (TURN(b, 17) ^ TURN(b, 19) ^ b >> 10);
        }
        u t = s[7] + (TURN(s[4], 6) ^ TURN(s[4], 11) ^ TURN(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + 0x9e3779b9u * (k + 1) + w[k & 15];
        u v = (TURN(s[0], 2) ^ TURN(s[0], 13) ^ TURN(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t + v;
    }
    for (int k = 0; k < 8; k++) y[k * n + i] = s[k];
}
__constant__ u crc_table[256];
KERNEL crc_constant(const uint4 *d, u *y, int n) { // 64 bytes a thread, a byte a look into the table
    int i = INDEX;
    u c = i;
    for (int k = 0; k < 4; k++) {
        uint4 v = d[k * n + i];
        u w[4] = {v.x, v.y, v.z, v.w};
        for (int j = 0; j < 16; j++) c = c >> 8 ^ crc_table[(c ^ w[j / 4] >> 8 * (j % 4)) & 255];
    }
    y[i] = c;
}
KERNEL crc_shared(const uint4 *d, u *y, int n) {
    __shared__ u t[256];
    u e = threadIdx.x;
    for (int k = 0; k < 8; k++) e = e & 1 ? e >> 1 ^ 0xedb88320u : e >> 1;
    t[threadIdx.x] = e;
    __syncthreads();
    int i = INDEX;
    u c = i;
    for (int k = 0; k < 4; k++) {
        uint4 v = d[k * n + i];
        u w[4] = {v.x, v.y, v.z, v.w};
        for (int j = 0; j < 16; j++) c = c >> 8 ^ t[(c ^ w[j / 4] >> 8 * (j % 4)) & 255];
    }
    y[i] = c;
}

// ---- layers of networks, small matrices
KERNEL norm_block(const float *x, float *y) { // a row of 1,024 a block of 256, mean and variance
    __shared__ float part[2][8];
    int t = threadIdx.x;
    float v[4], a = 0, b = 0;
    for (int k = 0; k < 4; k++) v[k] = x[blockIdx.x * 1024 + k * 256 + t], a += v[k], b += v[k] * v[k];
    for (int k = 16; k; k /= 2) a += __shfl_xor_sync(~0u, a, k), b += __shfl_xor_sync(~0u, b, k);
    if (!(t & 31)) part[0][t / 32] = a, part[1][t / 32] = b;
    __syncthreads();
    a = b = 0;
    for (int k = 0; k < 8; k++) a += part[0][k], b += part[1][k];
    a /= 1024;
    float scale = rsqrtf(b / 1024 - a * a + 1e-5f);
    for (int k = 0; k < 4; k++) y[blockIdx.x * 1024 + k * 256 + t] = (v[k] - a) * scale;
}
KERNEL norm_thread(const float *x, float *y, int w) { // a row a thread
    const float *p = x + INDEX * w;
    float a = 0, b = 0;
    for (int k = 0; k < w; k++) a += p[k], b += p[k] * p[k];
    a /= w;
    float scale = rsqrtf(b / w - a * a + 1e-5f);
    for (int k = 0; k < w; k++) y[INDEX * w + k] = (p[k] - a) * scale;
}
KERNEL gelu_each(const float *x, float *y, int n) {
    int i = INDEX;
    if (i >= n) return;
    float v = x[i] * 0.05f - 3;
    y[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}
KERNEL bytes_product(const int *d, int *y, int w) { // w by w numbers of 8 bits, four in a word, tiles of 32 by 32 words
    __shared__ int a[32][33], b[32][33];
    int t = threadIdx.x, r = threadIdx.y, words = w / 4, s[4] = {};
    for (int k = 0; k < words; k += 32) {
        for (int j = 0; j < 32; j += 8) {
            a[r + j][t] = d[(blockIdx.y * 32 + r + j) * words + k + t];
            b[r + j][t] = d[(blockIdx.x * 32 + r + j) * words + k + t];
        }
        __syncthreads();
        for (int m = 0; m < 32; m++)
            for (int j = 0; j < 4; j++) s[j] = __dp4a(a[r + 8 * j][m], b[t][m], s[j]);
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) y[(blockIdx.y * 32 + r + 8 * j) * w + blockIdx.x * 32 + t] = s[j];
}
KERNEL turn_vectors(const float4 *x, float4 *y, int n) { // a matrix of 4 by 4 times a vector, each of its own
    int i = INDEX;
    if (i >= n) return;
    float4 v = x[4 * n + i], o = make_float4(0, 0, 0, 0);
    float4 a = x[4 * i], b = x[4 * i + 1], c = x[4 * i + 2], e = x[4 * i + 3];
    o.x = a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
    o.y = b.x * v.x + b.y * v.y + b.z * v.z + b.w * v.w;
    o.z = c.x * v.x + c.y * v.y + c.z * v.z + c.w * v.w;
    o.w = e.x * v.x + e.y * v.y + e.z * v.z + e.w * v.w;
    y[i] = o;
}
template <bool columns> __device__ __forceinline__ void sweep(const float *x, float *y, int n, int w) { // Thomas, a system a thread
    int i = INDEX;
#define AT(k) (columns ? (k) * n + i : i * w + (k))
    float c = 0, e = 0;
    for (int k = 0; k < w; k++) {
        float b = x[AT(k)] + 4, m = 1 / (b - c);
        c = m;
        e = (x[n * w + AT(k)] - e) * m;
        y[AT(k)] = c, y[n * w + AT(k)] = e;
    }
    for (int k = w - 2; k >= 0; k--) {
        e = y[n * w + AT(k)] - y[AT(k)] * e;
        y[n * w + AT(k)] = e;
    }
}
KERNEL thomas_columns(const float *x, float *y, int n, int w) { sweep<true>(x, y, n, w); }
KERNEL thomas_rows(const float *x, float *y, int n, int w) { sweep<false>(x, y, n, w); }

// ---- geometry
KERNEL rays_spheres(const float4 *x, float *y, int w) { // 128 spheres, the nearest hit
    __shared__ float4 s[128];
    if (threadIdx.y * 32 + threadIdx.x < 128) s[threadIdx.y * 32 + threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    float dx = (c - w / 2) * 0.002f, dy = (r - w / 2) * 0.002f, scale = rsqrtf(dx * dx + dy * dy + 1), near = 1e30f;
    dx *= scale, dy *= scale;
    for (int k = 0; k < 128; k++) {
        float4 q = s[k];
        float b = dx * (q.x - 71) + dy * (q.y - 71) + scale * q.z, d2 = (q.x - 71) * (q.x - 71) + (q.y - 71) * (q.y - 71) + q.z * q.z - b * b;
        float rad = 0.1f * q.w;
        if (d2 < rad * rad) near = fminf(near, b - sqrtf(rad * rad - d2));
    }
    y[r * w + c] = near;
}
KERNEL nearest_tiled(const float *x, float *y, int n, int points) { // in the plane, by tiles of 256
    __shared__ float2 s[256];
    int i = INDEX;
    float a = x[i], b = x[i + n], best = 1e30f;
    for (int k = 0; k < points; k += 256) {
        __syncthreads();
        s[threadIdx.x] = make_float2(x[2 * n + k + threadIdx.x], x[3 * n + k + threadIdx.x]);
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = a - s[j].x, dy = b - s[j].y;
            best = fminf(best, dx * dx + dy * dy);
        }
    }
    y[i] = best;
}
