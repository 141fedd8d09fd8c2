// Kernels of trades that the other files here have none of: sound, film, networks' training, ciphers, joins, geometry, small systems. Written when
// the model had been corrected by fields.cu, their times modelled and then measured, once: what trades.def says of them tests the model.
// Every kernel takes what its row there says. Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx trades.cu
typedef unsigned u;
typedef unsigned char byte;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
__device__ __forceinline__ u mix(u h) {
    h ^= h >> 16;
    h *= 0x21f0aaadu;
    h ^= h >> 15;
    h *= 0xd35a2d97u;
    return h ^ h >> 15;
}

// ---- sound
template <bool planar> __device__ __forceinline__ void biquad(const float *x, float *y, int channels, int n) {
    int c = INDEX;
    float a = 0, b = 0;
    for (int k = 0; k < n; k++) {
        int at = planar ? c * n + k : k * channels + c;
        float v = x[at], o = 0.2f * v + a;
        a = 0.3f * v - 0.4f * o + b;
        b = 0.2f * v - 0.1f * o;
        y[at] = o;
    }
}
KERNEL biquad_planar(const float *x, float *y, int channels, int n) { biquad<true>(x, y, channels, n); }
KERNEL biquad_mixed(const float *x, float *y, int channels, int n) { biquad<false>(x, y, channels, n); }
KERNEL decimate_global(const float *x, const float *z, float *y) { // 32 taps, every fourth sample
    int i = INDEX;
    float s = 0;
    for (int k = 0; k < 32; k++) s += z[k] * x[4 * i + k];
    y[i] = s;
}
KERNEL decimate_shared(const float *x, const float *z, float *y) {
    __shared__ float t[4 * 256 + 32], f[32];
    for (int k = threadIdx.x; k < 4 * 256 + 32; k += 256) t[k] = x[blockIdx.x * 1024 + k];
    if (threadIdx.x < 32) f[threadIdx.x] = z[threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 32; k++) s += f[k] * t[4 * threadIdx.x + k];
    y[INDEX] = s;
}
KERNEL envelope_blocks(const float *x, float *y) { // the loudest of 256, a block each
    __shared__ float s[8];
    float v = fabsf(x[INDEX]);
    for (int k = 16; k; k /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
    if (!(threadIdx.x & 31)) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        v = s[threadIdx.x];
        for (int k = 4; k; k /= 2) v = fmaxf(v, __shfl_xor_sync(0xff, v, k));
        if (!threadIdx.x) y[blockIdx.x] = v;
    }
}

// ---- film and pictures
KERNEL motion_search(const byte *d, int *y, int w) { // the best of 8 by 8 shifts of a block of 8 by 8, a shift a thread
    __shared__ int sum[64];
    int t = threadIdx.x, dx = t & 7, dy = t / 8, x0 = blockIdx.x * 8, y0 = blockIdx.y * 8, s = 0;
    const byte *a = d + y0 * w + x0, *b = d + w * w / 2 + (y0 + dy) * w + x0 + dx;
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) s += abs(a[r * w + c] - b[r * w + c]);
    sum[t] = s << 8 | t;
    __syncthreads();
    for (int k = 32; k; k /= 2) {
        if (t < k) sum[t] = min(sum[t], sum[t + k]);
        __syncthreads();
    }
    if (!t) y[blockIdx.y * gridDim.x + blockIdx.x] = sum[0];
}
KERNEL bilateral_five(const float *x, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 2 || r < 2 || c >= w - 2 || r >= w - 2) return;
    float here = x[r * w + c], s = 0, n = 0;
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++) {
            float v = x[(r + i) * w + c + j], e = __expf(-0.02f * (v - here) * (v - here) - 0.2f * (i * i + j * j));
            s += e * v, n += e;
        }
    y[r * w + c] = s / n;
}
KERNEL erode_shared(const byte *d, byte *y, int w) { // 32 by 32 pixels with a border of two
    __shared__ byte t[36][40];
    int c0 = blockIdx.x * 32 - 2, r0 = blockIdx.y * 32 - 2;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 36 * 36; k += 256) {
        int r = min(max(r0 + k / 36, 0), w - 1), c = min(max(c0 + k % 36, 0), w - 1);
        t[k / 36][k % 36] = d[r * w + c];
    }
    __syncthreads();
    for (int q = 0; q < 32; q += 8) {
        int r = threadIdx.y + q, least = 255;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) least = min(least, (int)t[r + i][threadIdx.x + j]);
        y[(blockIdx.y * 32 + r) * w + blockIdx.x * 32 + threadIdx.x] = (byte)least;
    }
}
KERNEL turn_pixels(const uchar4 *d, uchar4 *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    y[c * w + w - 1 - r] = d[r * w + c];
}
KERNEL turn_tiles(const uchar4 *d, uchar4 *y, int w) {
    __shared__ uchar4 t[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8) t[k][threadIdx.x] = d[(r + k) * w + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += 8) y[(r + k) * w + w - 1 - c] = t[threadIdx.x][k];
}
KERNEL votes_lines(const byte *d, u *y, int n) { // a point votes for a line in each of 64 directions, in shared memory
    __shared__ u v[64 * 64];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) v[k] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        int px = d[2 * i] - 128, py = d[2 * i + 1] - 128;
        for (int a = 0; a < 64; a++) {
            float s, c;
            __sincosf(a * 0.049087385f, &s, &c);
            int rho = (int)(c * px + s * py) + 192;
            atomicAdd(&v[a * 64 + rho / 6], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) atomicAdd(&y[k], v[k]);
}
KERNEL noise_gradient(float *y, int w) { // four octaves of gradient noise
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0, scale = 0.05f, size = 1;
    for (int o = 0; o < 4; o++, scale *= 2, size *= 0.5f) {
        float px = c * scale, py = r * scale, fx = floorf(px), fy = floorf(py), a = px - fx, b = py - fy;
        float v[4];
        for (int k = 0; k < 4; k++) {
            u h = mix(((int)fx + (k & 1)) * 7919 + ((int)fy + k / 2) * 104729 + o);
            v[k] = ((h & 1) ? a - (k & 1) : (k & 1) - a) + ((h & 2) ? b - k / 2 : k / 2 - b);
        }
        float ea = a * a * (3 - 2 * a), eb = b * b * (3 - 2 * b);
        s += size * ((v[0] + ea * (v[1] - v[0])) * (1 - eb) + (v[2] + ea * (v[3] - v[2])) * eb);
    }
    y[r * w + c] = s;
}

// ---- networks and their training
KERNEL adam_step(const float *x, float *y, int n) { // weights, gradient, two moments
    int i = INDEX;
    if (i >= n) return;
    float g = x[i] - 70, m = 0.9f * x[i + n] + 0.1f * g, v = 0.999f * x[i + 2 * n] + 0.001f * g * g;
    y[i] = x[i + 3 * n] - 0.001f * m * rsqrtf(v + 1e-8f);
    y[i + n] = m, y[i + 2 * n] = v;
}
KERNEL pool_two(const float *x, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    const float *p = x + 4 * r * w + 2 * c;
    y[r * w + c] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[2 * w], p[2 * w + 1]));
}
KERNEL channels_conv(const float *x, const float *z, float *y, int w) { // 3 by 3, eight channels in, four out, a pixel a thread
    __shared__ float f[8][9][4];
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 288; k += 256) (&f[0][0][0])[k] = z[k];
    __syncthreads();
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;
    float s[4] = {};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 9; k++) {
            float v = x[i * w * w + (r + k / 3 - 1) * w + c + k % 3 - 1];
            for (int o = 0; o < 4; o++) s[o] += v * f[i][k][o];
        }
    for (int o = 0; o < 4; o++) y[o * w * w + r * w + c] = s[o];
}
KERNEL embed_rows(const float *x, const byte *d, float *y, int rows) { // 64 numbers a row, half a warp a row of two
    int i = INDEX, row = i / 16, word = mix(row) % rows;
    ((float4 *)y)[i] = ((const float4 *)x)[word * 16 + (i & 15)];
}
KERNEL embed_bags(const float *x, float *y, int rows) { // the sum of eight rows of 32
    int lane = threadIdx.x & 31, bag = INDEX / 32;
    float s = 0;
    for (int k = 0; k < 8; k++) s += x[(mix(8 * bag + k) % rows) * 32 + lane];
    y[INDEX] = s;
}
KERNEL argmax_warp(const float *x, int *y, int w) { // a row of w a warp
    int lane = threadIdx.x & 31, row = INDEX / 32, at = 0;
    float best = -1;
    for (int k = lane; k < w; k += 32)
        if (x[row * w + k] > best) best = x[row * w + k], at = k;
    for (int k = 16; k; k /= 2) {
        float o = __shfl_xor_sync(~0u, best, k);
        int p = __shfl_xor_sync(~0u, at, k);
        if (o > best || (o == best && p < at)) best = o, at = p;
    }
    if (!lane) y[row] = at;
}
KERNEL sums_columns(const float *x, float *y, int w, int rows) { // a bias's gradient: a column a thread
    int c = INDEX, r0 = blockIdx.y * rows;
    float s = 0;
    for (int r = r0; r < r0 + rows; r++) s += x[r * w + c];
    atomicAdd(&y[c], s);
}
KERNEL drop_hash(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = mix(i) & 1 ? 2 * x[i] : 0;
}

// ---- ciphers and codes
KERNEL chacha_blocks(u *y) { // 64 bytes a thread, ten double rounds
    u v[16], s = INDEX;
    for (int k = 0; k < 16; k++) v[k] = 0x61707865u * (k + 1) + s;
#define QUARTER(a, b, c, e)                                                                                                                                    \
    v[a] += v[b], v[e] = __funnelshift_l(v[e] ^ v[a], v[e] ^ v[a], 16), v[c] += v[e], v[b] = __funnelshift_l(v[b] ^ v[c], v[b] ^ v[c], 12), v[a] += v[b],    \
        v[e] = __funnelshift_l(v[e] ^ v[a], v[e] ^ v[a], 8), v[c] += v[e], v[b] = __funnelshift_l(v[b] ^ v[c], v[b] ^ v[c], 7)
#pragma unroll 1
    for (int k = 0; k < 10; k++) {
        QUARTER(0, 4, 8, 12);
        QUARTER(1, 5, 9, 13);
        QUARTER(2, 6, 10, 14);
        QUARTER(3, 7, 11, 15);
        QUARTER(0, 5, 10, 15);
        QUARTER(1, 6, 11, 12);
        QUARTER(2, 7, 8, 13);
        QUARTER(3, 4, 9, 14);
    }
    for (int k = 0; k < 16; k += 4) ((uint4 *)y)[s * 4 + k / 4] = make_uint4(v[k], v[k + 1], v[k + 2], v[k + 3]);
}
KERNEL tea_rounds(const uint2 *d, uint2 *y, int n) {
    int i = INDEX;
    if (i >= n) return;
    uint2 v = d[i];
    u sum = 0;
    for (int k = 0; k < 32; k++) {
        sum += 0x9e3779b9u;
        v.x += ((v.y << 4) + 0x1234567u) ^ (v.y + sum) ^ ((v.y >> 5) + 0x89abcdefu);
        v.y += ((v.x << 4) + 0x2468aceu) ^ (v.x + sum) ^ ((v.x >> 5) + 0x13579bdfu);
    }
    y[i] = v;
}
KERNEL tables_shared(const uint4 *d, uint4 *y, int n) { // ten rounds of four looks into a table of 1,024 words for each of four words
    __shared__ u t[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) t[k] = mix(k);
    __syncthreads();
    int i = INDEX;
    if (i >= n) return;
    uint4 v = d[i];
    for (int k = 0; k < 10; k++) {
        u a = t[v.x & 255] ^ t[256 + (v.y >> 8 & 255)] ^ t[512 + (v.z >> 16 & 255)] ^ t[768 + (v.w >> 24)];
        u b = t[v.y & 255] ^ t[256 + (v.z >> 8 & 255)] ^ t[512 + (v.w >> 16 & 255)] ^ t[768 + (v.x >> 24)];
        u c = t[v.z & 255] ^ t[256 + (v.w >> 8 & 255)] ^ t[512 + (v.x >> 16 & 255)] ^ t[768 + (v.y >> 24)];
        u e = t[v.w & 255] ^ t[256 + (v.x >> 8 & 255)] ^ t[512 + (v.y >> 16 & 255)] ^ t[768 + (v.z >> 24)];
        v = make_uint4(a, b, c, e);
    }
    y[i] = v;
}
KERNEL encode_base64(const byte *d, u *y, int n) { // three bytes to four letters
    int i = INDEX;
    if (i >= n) return;
    u v = d[3 * i] << 16 | d[3 * i + 1] << 8 | d[3 * i + 2], o = 0;
    for (int k = 0; k < 4; k++) {
        u c = v >> (18 - 6 * k) & 63;
        c += c < 26 ? 65 : c < 52 ? 71 : c < 62 ? -4 : c == 62 ? -19 : -16;
        o |= (c & 255) << 8 * k;
    }
    y[i] = o;
}

// ---- tables
KERNEL probe_keys(const u *d, const u *z, u *y, int n, u mask) { // a join's other side: the table is empty, so one look each
    int i = INDEX;
    if (i >= n) return;
    u key = d[i], at = key * 2654435761u & mask, found = 0;
    for (int k = 0; k < 8; k++, at = (at + 1) & mask) {
        u v = z[at];
        if (!v) break;
        found += v == key;
    }
    y[i] = found;
}
KERNEL bitmaps_and(const uint4 *d, u *y, int n) {
    u s = 0;
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        uint4 a = d[i], b = d[i + n];
        s += __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
    }
    for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
    if (!(threadIdx.x & 31)) atomicAdd(y, s);
}
KERNEL runs_heads(const byte *d, u *y, u *z, int n) { // where a value differs from the one before
    __shared__ u base, part[8];
    int i = INDEX, t = threadIdx.x, warp = t / 32, lane = t & 31;
    bool head = i > 0 && (d[i] & 3) != (d[i - 1] & 3);
    u all = __ballot_sync(~0u, head);
    if (!lane) part[warp] = __popc(all);
    __syncthreads();
    if (!t) {
        u s = 0;
        for (int k = 0; k < 8; k++) {
            u v = part[k];
            part[k] = s, s += v;
        }
        base = atomicAdd(z, s);
    }
    __syncthreads();
    if (head) y[base + part[warp] + __popc(all & ((1u << lane) - 1))] = i;
}
KERNEL decode_dictionary(const byte *d, const float *x, float *y, int n) {
    __shared__ float t[256];
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) y[i] = t[d[i]];
}
KERNEL labels_spread(const byte *d, u *y, int n) { // a vertex tells eight others its number
    int v = INDEX;
    for (int k = 0; k < 8; k++) atomicMax(&y[mix(8 * v + k) & (n - 1)], (u)v);
}

// ---- geometry and small systems
KERNEL inside_polygon(const float2 *x, byte *y, int n) { // 64 edges
    __shared__ float2 p[65];
    if (threadIdx.x < 65) p[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    int i = INDEX;
    if (i >= n) return;
    float2 q = x[i];
    bool in = false;
    for (int k = 0; k < 64; k++) {
        float2 a = p[k], b = p[k + 1];
        if ((a.y > q.y) != (b.y > q.y) && (q.x - a.x) * (b.y - a.y) < (b.x - a.x) * (q.y - a.y) * (b.y > a.y ? 1.f : 1.f)) in = !in;
    }
    y[i] = in;
}
KERNEL boxes_overlap(const float4 *x, u *y, int n) { // a box against n others, by tiles of 128
    __shared__ float4 s[128];
    int i = INDEX;
    float4 b = x[i];
    u count = 0;
    for (int k = 0; k < n; k += 128) {
        __syncthreads();
        s[threadIdx.x] = x[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float4 o = s[j];
            count += b.x < o.x + o.z && o.x < b.x + b.z && b.y < o.y + o.w && o.y < b.y + b.w;
        }
    }
    y[i] = count;
}
KERNEL rotate_points(const float4 *x, float4 *y, int n) { // a quaternion each
    int i = INDEX;
    if (i >= n) return;
    float4 q = x[i], p = x[i + n];
    float s = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + 1e-6f);
    q.x *= s, q.y *= s, q.z *= s, q.w *= s;
    float tx = 2 * (q.y * p.z - q.z * p.y), ty = 2 * (q.z * p.x - q.x * p.z), tz = 2 * (q.x * p.y - q.y * p.x);
    y[i] = make_float4(p.x + q.w * tx + q.y * tz - q.z * ty, p.y + q.w * ty + q.z * tx - q.x * tz, p.z + q.w * tz + q.x * ty - q.y * tx, p.w);
}
KERNEL solve_four(const float *x, float *y, int n) { // Gauss, 4 by 5, an array by element
    int i = INDEX;
    float a[4][5];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 5; c++) a[r][c] = x[(r * 5 + c) * n + i] + (r == c) * 500;
    for (int k = 0; k < 4; k++) {
        float f = __frcp_rn(a[k][k]);
        for (int c = 0; c < 5; c++) a[k][c] *= f;
        for (int r = 0; r < 4; r++)
            if (r != k) {
                float m = a[r][k];
                for (int c = 0; c < 5; c++) a[r][c] -= m * a[k][c];
            }
    }
    for (int r = 0; r < 4; r++) y[r * n + i] = a[r][4];
}
KERNEL factor_warp(const float *x, float *y) { // Cholesky of 32 by 32, a row a lane, in shared memory
    __shared__ float s[4][32][33];
    int lane = threadIdx.x & 31, w = threadIdx.x / 32, at = (blockIdx.x * 4 + w) * 1024;
    for (int r = 0; r < 32; r++) s[w][r][lane] = x[at + r * 32 + lane] * 0.01f + (r == lane) * 100;
    __syncwarp();
    for (int k = 0; k < 32; k++) {
        float d = rsqrtf(s[w][k][k]), v = s[w][lane][k] * d;
        __syncwarp();
        s[w][lane][k] = v;
        __syncwarp();
        if (lane > k)
            for (int c = k + 1; c <= lane; c++) s[w][lane][c] -= v * s[w][c][k];
        __syncwarp();
    }
    for (int r = 0; r < 32; r++) y[at + r * 32 + lane] = s[w][r][lane];
}
KERNEL paths_floyd(float *y, const float *x, int w, int k) { // one step of all shortest paths
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    y[r * w + c] = fminf(x[r * w + c], x[r * w + k] + x[k * w + c]);
}
KERNEL wave_step(const float *x, const float *z, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;
    float v = x[r * w + c];
    y[r * w + c] = 2 * v - z[r * w + c] + 0.25f * (x[r * w + c - 1] + x[r * w + c + 1] + x[(r - 1) * w + c] + x[(r + 1) * w + c] - 4 * v);
}
KERNEL spins_update(byte *y, const byte *d, int w, int odd) { // a chessboard's fields of one colour
    int c = 2 * INDEX + ((blockIdx.y * blockDim.y + threadIdx.y + odd) & 1), r = blockIdx.y * blockDim.y + threadIdx.y;
    int up = (r ? r - 1 : w - 1) * w, down = (r + 1 < w ? r + 1 : 0) * w, left = c ? c - 1 : w - 1, right = c + 1 < w ? c + 1 : 0;
    int sum = (d[up + c] & 1) + (d[down + c] & 1) + (d[r * w + left] & 1) + (d[r * w + right] & 1), s = d[r * w + c] & 1;
    float p = __expf(0.8f * (s ? 2 - sum : sum - 2));
    y[r * w + c] = (byte)((mix(r * w + c) & 0xffffff) * 5.96e-8f < p ? !s : s);
}
