// Kernels whose times others have published for devices that we have not measured: the same shapes, written anew. a100.def, rtx4090.def and t4.def
// have the rows, each with its source; `make model` runs them and puts both into docs/model-tables.md.

// One pass over arrays of doubles, a thread an element.
extern "C" __global__ void stream_init(double *a, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 0.23;
}
extern "C" __global__ void stream_read(double *a, const double *__restrict__ b, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && b[i] == 123.25) a[i] = 0;
}
extern "C" __global__ void stream_scale(double *a, const double *__restrict__ b, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] * 1.2;
}
extern "C" __global__ void stream_triad(double *a, const double *__restrict__ b, const double *__restrict__ c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] * 1.2 + c[i];
}
extern "C" __global__ void stream_3pt(double *a, const double *__restrict__ b, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];
}
// `run` groups of blocks read the same 64 doubles a thread: what stays in L2 is run * 512 KB.
extern "C" __global__ void l2_read(double *a, const double *__restrict__ b, unsigned run) {
    double sum = 0;
#pragma unroll 16
    for (unsigned i = 0; i < 64; i++) sum += b[1024 * (run * i + blockIdx.x % run) + threadIdx.x];
    if (sum == 23.125) a[threadIdx.x] += sum;
}

// C += A B, row-major, n columns of C; step by step as in S. Boehm, "How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance".
extern "C" __global__ void product_naive(const float *a, const float *b, float *c, unsigned n, unsigned depth) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * n + col];
    c[row * n + col] += sum;
}
extern "C" __global__ void product_coalesced(const float *a, const float *b, float *c, unsigned n, unsigned depth) {
    unsigned row = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
    float sum = 0;
    for (unsigned k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * n + col];
    c[row * n + col] += sum;
}
extern "C" __global__ void product_shared(const float *a, const float *b, float *c, unsigned n, unsigned depth) {
    __shared__ float as[32 * 32], bs[32 * 32];
    unsigned y = threadIdx.x / 32, x = threadIdx.x % 32;
    a += blockIdx.x * 32 * depth;
    b += blockIdx.y * 32;
    c += blockIdx.x * 32 * n + blockIdx.y * 32;
    float sum = 0;
    for (unsigned at = 0; at < depth; at += 32, a += 32, b += 32 * n) {
        as[y * 32 + x] = a[y * depth + x];
        bs[y * 32 + x] = b[y * n + x];
        __syncthreads();
        for (unsigned k = 0; k < 32; k++) sum += as[y * 32 + k] * bs[k * 32 + x];
        __syncthreads();
    }
    c[y * n + x] += sum;
}
// 64 x 64 of C a block, eight rows of a column a thread.
extern "C" __global__ void product_1d(const float *a, const float *b, float *c, unsigned n, unsigned depth) {
    enum { SIDE = 64, DEEP = 8, EACH = 8 };
    __shared__ float as[SIDE * DEEP], bs[DEEP * SIDE];
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    a += blockIdx.y * SIDE * depth;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * n + blockIdx.x * SIDE;
    float sum[EACH] = {0};
    for (unsigned at = 0; at < depth; at += DEEP, a += DEEP, b += DEEP * n) {
        as[threadIdx.x] = a[threadIdx.x / DEEP * depth + threadIdx.x % DEEP];
        bs[threadIdx.x] = b[y * n + x];
        __syncthreads();
        for (unsigned k = 0; k < DEEP; k++) {
            float v = bs[k * SIDE + x];
            for (unsigned r = 0; r < EACH; r++) sum[r] += as[(y * EACH + r) * DEEP + k] * v;
        }
        __syncthreads();
    }
    for (unsigned r = 0; r < EACH; r++) c[(y * EACH + r) * n + x] += sum[r];
}
// 128 x 128 of C a block, 8 x 8 a thread.
extern "C" __global__ void __launch_bounds__(256) product_2d(const float *a, const float *b, float *c, unsigned n, unsigned depth) {
    enum { SIDE = 128, DEEP = 8, EACH = 8 };
    __shared__ float as[SIDE * DEEP], bs[DEEP * SIDE];
    unsigned x = threadIdx.x % (SIDE / EACH), y = threadIdx.x / (SIDE / EACH);
    a += blockIdx.y * SIDE * depth;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * n + blockIdx.x * SIDE;
    float sum[EACH * EACH] = {0}, m[EACH], v[EACH];
    for (unsigned at = 0; at < depth; at += DEEP, a += DEEP, b += DEEP * n) {
        for (unsigned r = 0; r < SIDE; r += 256 / DEEP)
            as[(threadIdx.x / DEEP + r) * DEEP + threadIdx.x % DEEP] = a[(threadIdx.x / DEEP + r) * depth + threadIdx.x % DEEP];
        for (unsigned r = 0; r < DEEP; r += 256 / SIDE)
            bs[(threadIdx.x / SIDE + r) * SIDE + threadIdx.x % SIDE] = b[(threadIdx.x / SIDE + r) * n + threadIdx.x % SIDE];
        __syncthreads();
        for (unsigned k = 0; k < DEEP; k++) {
            for (unsigned r = 0; r < EACH; r++) m[r] = as[(y * EACH + r) * DEEP + k];
            for (unsigned q = 0; q < EACH; q++) v[q] = bs[k * SIDE + x * EACH + q];
            for (unsigned r = 0; r < EACH; r++)
                for (unsigned q = 0; q < EACH; q++) sum[r * EACH + q] += m[r] * v[q];
        }
        __syncthreads();
    }
    for (unsigned r = 0; r < EACH; r++)
        for (unsigned q = 0; q < EACH; q++) c[(y * EACH + r) * n + x * EACH + q] += sum[r * EACH + q];
}

// The ladder of M. Harris, "Optimizing Parallel Reduction in CUDA", on integers.
extern __shared__ int part[];
extern "C" __global__ void reduce_modulo(const int *in, int *out) {
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (threadIdx.x % (2 * s) == 0) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void reduce_sequential(const int *in, int *out) {
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
__device__ void last_warp(volatile int *p, unsigned t) {
    p[t] += p[t + 32];
    p[t] += p[t + 16];
    p[t] += p[t + 8];
    p[t] += p[t + 4];
    p[t] += p[t + 2];
    p[t] += p[t + 1];
}
extern "C" __global__ void reduce_last_warp(const int *in, int *out) {
    unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    part[threadIdx.x] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x < 32) last_warp(part, threadIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void reduce_unrolled(const int *in, int *out, unsigned n) {
    unsigned t = threadIdx.x, step = 512 * gridDim.x;
    part[t] = 0;
    for (unsigned i = blockIdx.x * 512 + t; i < n; i += step) part[t] += in[i] + in[i + 256];
    __syncthreads();
    if (t < 128) part[t] += part[t + 128];
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    if (t < 32) last_warp(part, t);
    if (t == 0) out[blockIdx.x] = part[0];
}
