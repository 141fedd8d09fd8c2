// The kernels that the model of time is compared on: classic first tries and their repairs, each with the launch of h200.def.
// Every kernel takes what its row there says. Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx kernels.cu
typedef unsigned u;
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL empty() {}

// ---- coalescing
KERNEL copy_stride(const float *x, float *y, int n, int s) {
    int i = INDEX;
    long j = ((long)i * s) % n;
    y[j] = x[j] + 1.f;
}
KERNEL copy_offset(const float *x, float *y, int n, int o) {
    int i = INDEX + o;
    if (i < n) y[i] = x[i] + 1.f;
}
KERNEL float3_aos(const float3 *in, float3 *out) {
    int i = INDEX;
    float3 a = in[i];
    a.x += 2;
    a.y += 2;
    a.z += 2;
    out[i] = a;
}
KERNEL float3_shared(const float *in, float *out) {
    __shared__ float s[768];
    int k = 3 * blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 3; j++) s[threadIdx.x + 256 * j] = in[k + 256 * j];
    __syncthreads();
    float3 a = ((float3 *)s)[threadIdx.x];
    a.x += 2;
    a.y += 2;
    a.z += 2;
    ((float3 *)s)[threadIdx.x] = a;
    __syncthreads();
    for (int j = 0; j < 3; j++) out[k + 256 * j] = s[threadIdx.x + 256 * j];
}
KERNEL vecadd(const float *a, const float *b, float *c, int n) {
    int i = INDEX;
    if (i < n) c[i] = a[i] + b[i];
}
KERNEL vecadd4(const float4 *a, const float4 *b, float4 *c, int n) {
    int i = INDEX;
    if (i < n) {
        float4 p = a[i], q = b[i];
        c[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
}
KERNEL row_sums(const float *m, float *o, int w) {
    int r = INDEX;
    float s = 0;
    for (int k = 0; k < w; k++) s += m[(long)r * w + k];
    o[r] = s;
}
KERNEL column_sums(const float *m, float *o, int w) {
    int c = INDEX;
    float s = 0;
    for (int k = 0; k < w; k++) s += m[(long)k * w + c];
    o[c] = s;
}

// ---- transpose
KERNEL transpose_naive(const float *i, float *o, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) o[(long)x * n + y + j] = i[(long)(y + j) * n + x];
}
template <int PAD> __device__ __forceinline__ void transpose(const float *i, float *o, int n) {
    __shared__ float t[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = i[(long)(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) o[(long)(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
KERNEL transpose_tile(const float *i, float *o, int n) { transpose<0>(i, o, n); }
KERNEL transpose_pad(const float *i, float *o, int n) { transpose<1>(i, o, n); }

// ---- the reduction ladder
#define LOAD_ONE                                                                                                                              \
    extern __shared__ int s[];                                                                                                                \
    u t = threadIdx.x, i = blockIdx.x * blockDim.x + t;                                                                                       \
    s[t] = g[i];                                                                                                                              \
    __syncthreads();
#define LOAD_TWO                                                                                                                              \
    extern __shared__ int s[];                                                                                                                \
    u t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;                                                                                 \
    s[t] = g[i] + g[i + blockDim.x];                                                                                                          \
    __syncthreads();
#define STORE_ONE                                                                                                                             \
    if (t == 0) o[blockIdx.x] = s[0];
KERNEL reduce0(const int *g, int *o) {
    LOAD_ONE for (u k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0) s[t] += s[t + k];
        __syncthreads();
    }
    STORE_ONE
}
KERNEL reduce1(const int *g, int *o) {
    LOAD_ONE for (u k = 1; k < blockDim.x; k *= 2) {
        u x = 2 * k * t;
        if (x < blockDim.x) s[x] += s[x + k];
        __syncthreads();
    }
    STORE_ONE
}
KERNEL reduce2(const int *g, int *o) {
    LOAD_ONE for (u k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    STORE_ONE
}
KERNEL reduce3(const int *g, int *o) {
    LOAD_TWO for (u k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    STORE_ONE
}
__device__ __forceinline__ void last_warp(volatile int *s, u t) {
    s[t] += s[t + 32];
    __syncwarp();
    s[t] += s[t + 16];
    __syncwarp();
    s[t] += s[t + 8];
    __syncwarp();
    s[t] += s[t + 4];
    __syncwarp();
    s[t] += s[t + 2];
    __syncwarp();
    s[t] += s[t + 1];
}
KERNEL reduce4(const int *g, int *o) {
    LOAD_TWO for (u k = blockDim.x / 2; k > 32; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) last_warp(s, t);
    STORE_ONE
}
template <u B> __device__ __forceinline__ void halves(int *s, u t) {
    if (B >= 512) {
        if (t < 256) s[t] += s[t + 256];
        __syncthreads();
    }
    if (B >= 256) {
        if (t < 128) s[t] += s[t + 128];
        __syncthreads();
    }
    if (B >= 128) {
        if (t < 64) s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32) last_warp(s, t);
}
template <u B> __device__ __forceinline__ void reduce_unrolled(const int *g, int *o) {
    LOAD_TWO halves<B>(s, t);
    STORE_ONE
}
template <u B> __device__ __forceinline__ void reduce_many(const int *g, int *o, u n) {
    extern __shared__ int s[];
    u t = threadIdx.x, i = blockIdx.x * (B * 2) + t, step = B * 2 * gridDim.x;
    int a = 0;
    while (i < n) {
        a += g[i] + g[i + B];
        i += step;
    }
    s[t] = a;
    __syncthreads();
    halves<B>(s, t);
    STORE_ONE
}
KERNEL reduce5(const int *g, int *o) { reduce_unrolled<256>(g, o); }
KERNEL reduce6(const int *g, int *o, u n) { reduce_many<256>(g, o, n); }
KERNEL reduce5_128(const int *g, int *o) { reduce_unrolled<128>(g, o); }
KERNEL reduce6_128(const int *g, int *o, u n) { reduce_many<128>(g, o, n); }
KERNEL reduce7(const int4 *g, int *o, u n) {
    int a = 0;
    for (u i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        int4 v = g[i];
        a += v.x + v.y + v.z + v.w;
    }
    for (int d = 16; d; d >>= 1) a += __shfl_down_sync(~0u, a, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(o, a);
}

// ---- matrix product
KERNEL matmul_bad(const float *A, const float *B, float *C, int W) {
    int r = blockIdx.x * 16 + threadIdx.x, c = blockIdx.y * 16 + threadIdx.y;
    float p = 0;
    for (int k = 0; k < W; k++) p += A[r * W + k] * B[k * W + c];
    C[r * W + c] = p;
}
KERNEL matmul_naive(const float *A, const float *B, float *C, int W) {
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    float p = 0;
    for (int k = 0; k < W; k++) p += A[r * W + k] * B[k * W + c];
    C[r * W + c] = p;
}
template <int T> __device__ __forceinline__ void matmul_tile(const float *A, const float *B, float *C, int W) {
    __shared__ float a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;
    float p = 0;
    for (int h = 0; h < W / T; h++) {
        a[ty][tx] = A[r * W + h * T + tx];
        b[ty][tx] = B[(h * T + ty) * W + c];
        __syncthreads();
        for (int k = 0; k < T; k++) p += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[r * W + c] = p;
}
KERNEL matmul_tile16(const float *A, const float *B, float *C, int W) { matmul_tile<16>(A, B, C, W); }
KERNEL matmul_tile32(const float *A, const float *B, float *C, int W) { matmul_tile<32>(A, B, C, W); }
template <int T, int F> __device__ __forceinline__ void matmul_coarse(const float *A, const float *B, float *C, int W) {
    __shared__ float a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c0 = blockIdx.x * T * F + tx;
    float p[F] = {};
    for (int h = 0; h < W / T; h++) {
        a[ty][tx] = A[r * W + h * T + tx];
        for (int f = 0; f < F; f++) {
            b[ty][tx] = B[(h * T + ty) * W + c0 + f * T];
            __syncthreads();
            for (int k = 0; k < T; k++) p[f] += a[ty][k] * b[k][tx];
            __syncthreads();
        }
    }
    for (int f = 0; f < F; f++) C[r * W + c0 + f * T] = p[f];
}
KERNEL matmul_coarse2(const float *A, const float *B, float *C, int W) { matmul_coarse<32, 2>(A, B, C, W); }
KERNEL matmul_coarse4(const float *A, const float *B, float *C, int W) { matmul_coarse<32, 4>(A, B, C, W); }
KERNEL matmul_columns_naive(const float *A, const float *B, float *C, int W) {
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    float p = 0;
    for (int k = 0; k < W; k++) p += A[r * W + k] * B[c * W + k];
    C[r * W + c] = p;
}
KERNEL matmul_columns_tile(const float *A, const float *B, float *C, int W) {
    const int T = 32;
    __shared__ float a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;
    float p = 0;
    for (int h = 0; h < W / T; h++) {
        a[ty][tx] = A[r * W + h * T + tx];
        b[ty][tx] = B[(long)c * W + h * T + ty];
        __syncthreads();
        for (int k = 0; k < T; k++) p += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[r * W + c] = p;
}
KERNEL matmul_columns_turned(const float *A, const float *B, float *C, int W) {
    const int T = 32;
    __shared__ float a[T][T], b[T][T + 1];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;
    float p = 0;
    for (int h = 0; h < W / T; h++) {
        a[ty][tx] = A[r * W + h * T + tx];
        b[tx][ty] = B[(long)(blockIdx.x * T + ty) * W + h * T + tx];
        __syncthreads();
        for (int k = 0; k < T; k++) p += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[r * W + c] = p;
}

// ---- histogram of bytes
KERNEL histogram_global(const unsigned char *d, u *h, int n) {
    int i = INDEX;
    if (i < n) atomicAdd(&h[d[i]], 1);
}
KERNEL histogram_private(const unsigned char *d, u *h, int n) {
    __shared__ u s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    int i = INDEX;
    if (i < n) atomicAdd(&s[d[i]], 1);
    __syncthreads();
    if (s[threadIdx.x]) atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
KERNEL histogram_coarse(const unsigned char *d, u *h, int n) {
    __shared__ u s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i]], 1);
    __syncthreads();
    if (s[threadIdx.x]) atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}

// ---- arithmetic
#define EACH(T, STEP)                                                                                                                         \
    int i = INDEX;                                                                                                                            \
    T v = x[i];                                                                                                                               \
    for (int k = 0; k < it; k++) STEP;                                                                                                        \
    x[i] = v;
KERNEL split_lanes(float *x, int it) {
    int i = INDEX;
    float v = x[i];
    if (threadIdx.x & 1) {
        for (int k = 0; k < it; k++) v = v * 1.0001f + 0.5f;
    } else {
        for (int k = 0; k < it; k++) v = v * 0.9999f - 0.5f;
    }
    x[i] = v;
}
KERNEL split_warps(float *x, int it) {
    int i = INDEX;
    float v = x[i];
    if ((threadIdx.x / 32) & 1) {
        for (int k = 0; k < it; k++) v = v * 1.0001f + 0.5f;
    } else {
        for (int k = 0; k < it; k++) v = v * 0.9999f - 0.5f;
    }
    x[i] = v;
}
KERNEL constants_double(float *x, int it) { EACH(float, v = v * 1.0001 + 0.5) }
KERNEL constants_float(float *x, int it) { EACH(float, v = v * 1.0001f + 0.5f) }
KERNEL divide_modulo(u *x, u m, int it) { EACH(u, v = (v % m) * 33u + (v / m) + k) }
KERNEL shift_mask(u *x, u sh, int it) {
    u mask = (1u << sh) - 1;
    EACH(u, v = (v & mask) * 33u + (v >> sh) + k)
}
KERNEL sine(float *x, int it) { EACH(float, v = sinf(v) + k) }
KERNEL sine_fast(float *x, int it) { EACH(float, v = __sinf(v) + k) }
__constant__ float table[1024];
KERNEL constant_same(float *y, int it) {
    int i = INDEX;
    float v = 0;
    for (int k = 0; k < it; k++) v += table[k & 1023];
    y[i] = v;
}
KERNEL constant_apart(float *y, int it) {
    int i = INDEX;
    float v = 0;
    for (int k = 0; k < it; k++) v += table[(k + threadIdx.x * 31) & 1023];
    y[i] = v;
}

// ---- occupancy, banks
template <int KB> __device__ __forceinline__ void copy_occupancy(const float *x, float *y, int n) {
    __shared__ float pad[KB * 256];
    if (n < 0) pad[threadIdx.x] = x[0];
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] + 1.f;
    if (n < 0) y[0] = pad[threadIdx.x ^ 1];
}
KERNEL copy_1kb(const float *x, float *y, int n) { copy_occupancy<1>(x, y, n); }
KERNEL copy_16kb(const float *x, float *y, int n) { copy_occupancy<16>(x, y, n); }
KERNEL copy_47kb(const float *x, float *y, int n) { copy_occupancy<47>(x, y, n); }
template <int S> __device__ __forceinline__ void bank(float *y, int it) {
    __shared__ float s[32 * 33];
    for (int k = threadIdx.x; k < 32 * 33; k += blockDim.x) s[k] = k;
    __syncthreads();
    float v = 0;
    int l = threadIdx.x & 31;
    for (int k = 0; k < it; k++) v += s[(l * S + k) % 1024];
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
KERNEL bank1(float *y, int it) { bank<1>(y, it); }
KERNEL bank2(float *y, int it) { bank<2>(y, it); }
KERNEL bank8(float *y, int it) { bank<8>(y, it); }
KERNEL bank32(float *y, int it) { bank<32>(y, it); }
KERNEL bank33(float *y, int it) { bank<33>(y, it); }

// ---- G80: read, add one, write back
KERNEL increment(float *x) {
    int i = INDEX;
    x[i] = x[i] + 1;
}
KERNEL increment_some(float *x) { // half-warps in order, every other thread idle
    int i = INDEX;
    if (threadIdx.x & 1) x[i] = x[i] + 1;
}
KERNEL increment_permuted(float *x) { // neighbours change places
    int i = INDEX ^ 1;
    x[i] = x[i] + 1;
}
KERNEL increment_misaligned(float *x) {
    int i = INDEX + 1;
    x[i] = x[i] + 1;
}
