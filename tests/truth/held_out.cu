// Kernels of kinds that kernels.cu has none of, measured after the model of time was made: what held_out.def says of them tests the model.
// Every kernel takes what its row there says. Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx held_out.cu
#include <cuda_fp16.h>
typedef unsigned u;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
__device__ __forceinline__ u mix(u h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

// ---- bytes, words and vectors; grid-stride loops; halves and doubles
KERNEL copy_bytes(const unsigned char *d, unsigned char *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = d[i];
}
KERNEL copy_words4(const uchar4 *d, uchar4 *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = d[i];
}
KERNEL saxpy_each(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = 2.5f * x[i] + y[i];
}
KERNEL saxpy_stride(const float *x, float *y, int n) {
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) y[i] = 2.5f * x[i] + y[i];
}
KERNEL axpy_double(const double *x, double *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = 2.5 * x[i] + y[i];
}
KERNEL axpy_half2(const __half2 *x, __half2 *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = __hfma2(__float2half2_rn(2.5f), x[i], y[i]);
}

// ---- gathers, structures of arrays
KERNEL gather_random(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = x[mix(i) & (n - 1)];
}
KERNEL gather_near(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = x[(i & ~31) | (mix(i) & 31)];
}
struct particle {
    float x, y, z, vx, vy, vz, m, q;
};
KERNEL move_structs(const particle *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = x[i].x + 0.1f * x[i].vx;
}
KERNEL move_arrays(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) y[i] = x[i] + 0.1f * x[i + n];
}

// ---- stencils and convolutions
KERNEL stencil5(const float *x, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c > 0 && r > 0 && c < w - 1 && r < w - 1)
        y[r * w + c] = 0.2f * (x[r * w + c] + x[r * w + c - 1] + x[r * w + c + 1] + x[(r - 1) * w + c] + x[(r + 1) * w + c]);
}
KERNEL stencil5_turned(const float *x, float *y, int w) { // x runs over rows
    int r = INDEX, c = blockIdx.y * blockDim.y + threadIdx.y;
    if (c > 0 && r > 0 && c < w - 1 && r < w - 1)
        y[r * w + c] = 0.2f * (x[r * w + c] + x[r * w + c - 1] + x[r * w + c + 1] + x[(r - 1) * w + c] + x[(r + 1) * w + c]);
}
KERNEL stencil5_shared(const float *x, float *y, int w) {
    __shared__ float t[18][34];
    int c = INDEX, r = blockIdx.y * 16 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (c < w && r < w) t[ty][tx] = x[r * w + c];
    if (threadIdx.x == 0 && c > 0) t[ty][0] = x[r * w + c - 1];
    if (threadIdx.x == 31 && c < w - 1) t[ty][33] = x[r * w + c + 1];
    if (threadIdx.y == 0 && r > 0) t[0][tx] = x[(r - 1) * w + c];
    if (threadIdx.y == 15 && r < w - 1) t[17][tx] = x[(r + 1) * w + c];
    __syncthreads();
    if (c > 0 && r > 0 && c < w - 1 && r < w - 1)
        y[r * w + c] = 0.2f * (t[ty][tx] + t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx]);
}
__constant__ float taps[128];
KERNEL convolve_constant(const float *x, float *y, int n) {
    int i = INDEX;
    float s = 0;
    for (int k = 0; k < 33; k++)
        if (i + k < n) s += taps[k] * x[i + k];
    if (i < n) y[i] = s;
}
KERNEL convolve_global(const float *x, float *y, const float *f, int n) {
    int i = INDEX;
    float s = 0;
    for (int k = 0; k < 33; k++)
        if (i + k < n) s += f[k] * x[i + k];
    if (i < n) y[i] = s;
}
KERNEL convolve_shared(const float *x, float *y, int n) {
    __shared__ float t[256 + 32];
    int i = INDEX;
    t[threadIdx.x] = i < n ? x[i] : 0;
    if (threadIdx.x < 32) t[256 + threadIdx.x] = i + 256 < n ? x[i + 256] : 0;
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 33; k++) s += taps[k] * t[threadIdx.x + k];
    if (i < n) y[i] = s;
}

// ---- scans
KERNEL scan_shuffle(const float *x, float *y) {
    __shared__ float part[32];
    int i = INDEX, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    float v = x[i];
    for (int d = 1; d < 32; d *= 2) {
        float o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
    }
    if (lane == 31) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        float p = lane < blockDim.x / 32 ? part[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            float o = __shfl_up_sync(~0u, p, d);
            if (lane >= d) p += o;
        }
        part[lane] = p;
    }
    __syncthreads();
    y[i] = v + (warp ? part[warp - 1] : 0);
}
KERNEL scan_steps(const float *x, float *y) { // Hillis and Steele
    __shared__ float s[2][512];
    int t = threadIdx.x, at = 0;
    s[0][t] = x[INDEX];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        s[1 - at][t] = t >= d ? s[at][t] + s[at][t - d] : s[at][t];
        at = 1 - at;
        __syncthreads();
    }
    y[INDEX] = s[at][t];
}
#define PAD(i) ((i) + ((i) >> 5) * P)
template <int P> __device__ __forceinline__ void scan_tree(const float *x, float *y) { // Blelloch, two elements a thread
    __shared__ float s[1024 + 32 * P];
    int t = threadIdx.x, b = blockIdx.x * 1024, d, k;
    s[PAD(t)] = x[b + t];
    s[PAD(t + 512)] = x[b + t + 512];
    for (d = 512, k = 1; d > 0; d /= 2, k *= 2) {
        __syncthreads();
        if (t < d) s[PAD(k * (2 * t + 2) - 1)] += s[PAD(k * (2 * t + 1) - 1)];
    }
    if (t == 0) s[PAD(1023)] = 0;
    for (d = 1, k = 512; d < 1024; d *= 2, k /= 2) {
        __syncthreads();
        if (t < d) {
            int i = PAD(k * (2 * t + 1) - 1), j = PAD(k * (2 * t + 2) - 1);
            float v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
    }
    __syncthreads();
    y[b + t] = s[PAD(t)];
    y[b + t + 512] = s[PAD(t + 512)];
}
KERNEL scan_tree_plain(const float *x, float *y) { scan_tree<0>(x, y); }
KERNEL scan_tree_padded(const float *x, float *y) { scan_tree<1>(x, y); }

// ---- atomics
KERNEL sum_atomic(const float *x, float *y, int n) {
    int i = INDEX;
    if (i < n) atomicAdd(y, x[i]);
}
KERNEL sum_warp_atomic(const float *x, float *y, int n) {
    int i = INDEX;
    float v = i < n ? x[i] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(y, v);
}
KERNEL sum_block_atomic(const float *x, float *y, int n) {
    __shared__ float s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    int i = INDEX;
    if (i < n) atomicAdd(&s, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(y, s);
}
KERNEL count_spread(int *y, int n) {
    int i = INDEX;
    if (i < n) atomicAdd(&y[mix(i) & 0xfffff], 1);
}
KERNEL maximum_swap(const int *x, int *y, int n) { // compare and swap until it holds
    int i = INDEX;
    if (i >= n) return;
    int v = x[i], *m = &y[i & 1023], old = *m;
    while (v > old) {
        int seen = atomicCAS(m, old, v);
        if (seen == old) break;
        old = seen;
    }
}
KERNEL maximum_atomic(const int *x, int *y, int n) {
    int i = INDEX;
    if (i < n) atomicMax(&y[i & 1023], x[i]);
}

// ---- arithmetic
KERNEL exp_log(float *y, int it) {
    float v = 1 + (INDEX & 15);
    for (int k = 0; k < it; k++) v = logf(expf(v * 0.5f) + 1.5f);
    y[INDEX] = v;
}
KERNEL exp_log_fast(float *y, int it) {
    float v = 1 + (INDEX & 15);
    for (int k = 0; k < it; k++) v = __logf(__expf(v * 0.5f) + 1.5f);
    y[INDEX] = v;
}
KERNEL power(float *y, int it) {
    float v = 1 + (INDEX & 15);
    for (int k = 0; k < it; k++) v = powf(v, 0.75f) + 1;
    y[INDEX] = v;
}
KERNEL squares(float *y, int it) {
    float v = 1 + (INDEX & 15);
    for (int k = 0; k < it; k++) v = sqrtf(v) * sqrtf(sqrtf(v)) + 1;
    y[INDEX] = v;
}
KERNEL divide_float(float *y, int it) {
    float v = 1 + (INDEX & 15);
    for (int k = 0; k < it; k++) v = 3.5f / v + 1;
    y[INDEX] = v;
}
KERNEL divide_double(double *y, int it) {
    double v = 1 + (INDEX & 15);
    for (int k = 0; k < it; k++) v = 3.5 / v + 1;
    y[INDEX] = v;
}
KERNEL polynomial(float *y, int it) {
    float v = 1e-3f * (INDEX & 15), s = v;
    for (int k = 0; k < it; k++) s = ((((s * 0.1f + v) * s + 0.2f) * s + 0.3f) * s + 0.4f) * 0.5f;
    y[INDEX] = s;
}
KERNEL polynomial_4(float *y, int it) { // four chains a thread
    float v = 1e-3f * (INDEX & 15), s[4] = {v, v + 1, v + 2, v + 3};
    for (int k = 0; k < it; k++)
        for (int j = 0; j < 4; j++) s[j] = ((((s[j] * 0.1f + v) * s[j] + 0.2f) * s[j] + 0.3f) * s[j] + 0.4f) * 0.5f;
    y[INDEX] = s[0] + s[1] + s[2] + s[3];
}
KERNEL random_pi(u *y, int it) {
    u h = mix(INDEX + 1), in = 0;
    for (int k = 0; k < it; k++) {
        h ^= h << 13, h ^= h >> 17, h ^= h << 5;
        float a = (h & 0xffff) / 65536.f, b = (h >> 16) / 65536.f;
        in += a * a + b * b < 1;
    }
    y[INDEX] = in;
}
KERNEL mandelbrot(u *y, int w, int most) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = 3.f * c / w - 2, cy = 2.f * r / w - 1, a = 0, b = 0;
    int k = 0;
    while (k < most && a * a + b * b < 4) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
        k++;
    }
    y[r * w + c] = k;
}
KERNEL collatz(u *y, int it) { // every lane another number of rounds
    u v = INDEX + 1, k = 0;
    while (v != 1 && k < it) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        k++;
    }
    y[INDEX] = k;
}
KERNEL bodies_plain(const float4 *x, float *y, int n) {
    float4 p = x[INDEX];
    float s = 0;
    for (int k = 0; k < n; k++) {
        float4 q = x[k];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        s += q.w * r * r * r;
    }
    y[INDEX] = s;
}
KERNEL bodies_tiled(const float4 *x, float *y, int n) {
    __shared__ float4 t[256];
    float4 p = x[INDEX];
    float s = 0;
    for (int b = 0; b < n; b += 256) {
        t[threadIdx.x] = x[b + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float4 q = t[k];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            s += q.w * r * r * r;
        }
        __syncthreads();
    }
    y[INDEX] = s;
}

// ---- few blocks, tails, large shared memory, local memory
KERNEL spin_fma(float *y, int it) {
    float v = INDEX;
    for (int k = 0; k < it; k++) v = v * 1.0001f + 0.5f;
    y[INDEX] = v;
}
KERNEL sum_big_tile(const float *x, float *y, int rounds) {
    extern __shared__ float tile[]; // 25,600 floats
    for (int k = threadIdx.x; k < 25600; k += blockDim.x) tile[k] = x[blockIdx.x * 25600 + k];
    __syncthreads();
    float s = 0;
    for (int j = 0; j < rounds; j++)
        for (int k = threadIdx.x; k < 25600; k += blockDim.x) s += tile[(k + 32 * j) % 25600];
    y[INDEX] = s;
}
KERNEL local_indexed(const u *x, u *y, int it) { // an array that is indexed at run time lies in local memory
    u a[32], h = INDEX;
    for (int k = 0; k < 32; k++) a[k] = x[k] + h;
    for (int k = 0; k < it; k++) {
        h = h * 1664525u + 1013904223u;
        a[h >> 27] += h;
    }
    u s = 0;
    for (int k = 0; k < 32; k++) s ^= a[k];
    y[INDEX] = s;
}
KERNEL local_shared(const u *x, u *y, int it) { // the same array in shared memory, a column a thread
    __shared__ u a[32][128];
    u h = INDEX, t = threadIdx.x;
    for (int k = 0; k < 32; k++) a[k][t] = x[k] + h;
    for (int k = 0; k < it; k++) {
        h = h * 1664525u + 1013904223u;
        a[h >> 27][t] += h;
    }
    u s = 0;
    for (int k = 0; k < 32; k++) s ^= a[k][t];
    y[INDEX] = s;
}

// ---- sparse and dense rows
KERNEL rows_scalar(const float *x, float *y, const float *v) { // a sparse row a thread: 1 to 64 elements
    int r = INDEX, n = 1 + (mix(r) & 63);
    float s = 0;
    for (int k = 0; k < n; k++) s += x[r * 64 + k] * v[mix(r * 64 + k) & 0xfffff];
    y[r] = s;
}
KERNEL rows_vector(const float *x, float *y, const float *v) { // a warp
    int r = INDEX / 32, lane = threadIdx.x & 31, n = 1 + (mix(r) & 63);
    float s = 0;
    for (int k = lane; k < n; k += 32) s += x[r * 64 + k] * v[mix(r * 64 + k) & 0xfffff];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) y[r] = s;
}
KERNEL gemv_warp(const float *x, float *y, const float *v, int w) {
    int r = INDEX / 32, lane = threadIdx.x & 31;
    float s = 0;
    for (int k = lane; k < w; k += 32) s += x[r * w + k] * v[k];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) y[r] = s;
}
KERNEL gemv_thread(const float *x, float *y, const float *v, int w) {
    int r = INDEX;
    float s = 0;
    for (int k = 0; k < w; k++) s += x[r * w + k] * v[k];
    y[r] = s;
}
KERNEL softmax_rows(const float *x, float *y, int w) {
    __shared__ float s[256];
    int t = threadIdx.x;
    const float *row = x + (long)blockIdx.x * w;
    float m = -1e30f, sum = 0;
    for (int k = t; k < w; k += 256) m = fmaxf(m, row[k]);
    s[t] = m;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    m = s[0];
    __syncthreads();
    for (int k = t; k < w; k += 256) sum += __expf(row[k] - m);
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    sum = s[0];
    for (int k = t; k < w; k += 256) y[(long)blockIdx.x * w + k] = __expf(row[k] - m) / sum;
}

// ---- products with registers: 64 x 64 a block, 4 x 4 a thread
KERNEL matmul_registers(const float *A, const float *B, float *C, int W) {
    __shared__ float a[16][64], b[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float p[4][4] = {};
    for (int h = 0; h < W; h += 16) {
        for (int k = 0; k < 4; k++) {
            int i = t + 256 * k;
            a[i % 16][i / 16] = A[(r0 + i / 16) * W + h + i % 16];
            b[i / 64][i % 64] = B[(h + i / 64) * W + c0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) p[i][j] += a[k][ty * 4 + i] * b[k][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) C[(r0 + ty * 4 + i) * W + c0 + tx * 4 + j] = p[i][j];
}
KERNEL matmul_plain(const float *A, const float *B, float *C, int W) {
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    float p = 0;
    for (int k = 0; k < W; k++) p += A[r * W + k] * B[k * W + c];
    C[r * W + c] = p;
}
KERNEL matmul_rows(const float *A, const float *B, float *C, int W) { // x runs over rows
    int c = blockIdx.y * 16 + threadIdx.y, r = blockIdx.x * 16 + threadIdx.x;
    float p = 0;
    for (int k = 0; k < W; k++) p += A[r * W + k] * B[k * W + c];
    C[r * W + c] = p;
}

// ---- sorting
KERNEL bitonic(const u *x, u *y) { // 1024 keys a block
    __shared__ u s[1024];
    int t = threadIdx.x, b = blockIdx.x * 1024;
    s[t] = x[b + t];
    s[t + 512] = x[b + t + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (j - 1));
            u p = s[i], q = s[i + j];
            if ((p > q) == !(i & k)) s[i] = q, s[i + j] = p;
        }
    __syncthreads();
    y[b + t] = s[t];
    y[b + t + 512] = s[t + 512];
}
