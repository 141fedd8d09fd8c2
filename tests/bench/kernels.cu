// What the interpreter's speed is measured on: a product of matrices (loads, FMA, loop), a reduction (shared memory, barriers, divergence), and what
// lessons on memory are about: copies with a stride, a naive transpose, histograms, bank conflicts. Then what the later chapters run: tensor
// cores, textures, code that diverges. All take (in, out, n); `in` of a texture_* is a texture.
#include <mma.h>

extern "C" __global__ void product(const float *a, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *b = a + n * n;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void reduction(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void empty() {}

extern "C" __global__ void copy(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

extern "C" __global__ void strided(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long j = (long)i * 33 % n;
    out[j] = in[j] + 1;
}

extern "C" __global__ void transpose(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

extern "C" __global__ void histogram_global(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[in[i] * 2654435761u + i * 40503u >> 24], 1);
}

extern "C" __global__ void histogram_shared(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i] * 2654435761u + i * 40503u >> 24], 1);
    __syncthreads();
    if (s[threadIdx.x]) atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void bank32(float *in, float *out, int n) {
    __shared__ float s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = k;
    __syncthreads();
    float v = 0;
    for (int k = 0; k < n; k++) v += s[(threadIdx.x * 32 + k) % 1024];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void arithmetic(float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < n; k++) v = v * 1.0001f + 0.5f;
    out[i] = v;
}

// Products of 16 x 8 x 16, as fast as a warp can ask for them: 4096 operations each.
extern "C" __global__ void mma(const unsigned *in, float *out, int n) {
    unsigned l = threadIdx.x % 32, a0 = in[l], a1 = in[l + 32], a2 = in[l + 64], a3 = in[l + 96], b0 = in[l + 128], b1 = in[l + 160];
    float c[4][4] = {};
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    for (int j = 0; j < 4; j++) out[blockIdx.x * blockDim.x + threadIdx.x] += c[j][0] + c[j][1] + c[j][2] + c[j][3];
}

// A product of n x n halves, a tile of 16 x 16 a warp, fragments straight from memory.
extern "C" __global__ void wmma(const __half *a, float *out, int n) {
    using namespace nvcuda::wmma;
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = tile / (n / 16) * 16, col = tile % (n / 16) * 16;
    fragment<matrix_a, 16, 16, 16, __half, row_major> x;
    fragment<matrix_b, 16, 16, 16, __half, row_major> y;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(x, a + row * n + k, n);
        load_matrix_sync(y, a + n * n + k * n + col, n);
        mma_sync(sum, x, y, sum);
    }
    store_matrix_sync(out + row * n + col, sum, n, mem_row_major);
}

// Nine texels around each; a rotated picture, filtered. n x n texels.
extern "C" __global__ void texture_point(cudaTextureObject_t t, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) s += tex2D<float>(t, x + dx, y + dy);
    out[y * n + x] = s / 9;
}
extern "C" __global__ void texture_linear(cudaTextureObject_t t, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = 0.8f * x - 0.6f * y + 0.3f * n, v = 0.6f * x + 0.8f * y - 0.2f * n, s = 0;
    for (int k = 0; k < 4; k++) s += tex2D<float>(t, u + 0.25f * k, v + 0.25f * k);
    out[y * n + x] = s;
}

// Each thread takes its own number of turns and its own way in each: loops of different lengths in both branches, and a way out.
extern "C" __global__ void divergent(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i * 2654435761u + 1, turns = 20 + (v >> 7) % n;
    float x = in[i], y = 1;
    for (unsigned t = 0; t < turns; t++) {
        v = v * 1664525u + 1013904223u;
        if (v >> 31) {
            for (unsigned k = v >> 28; k > 7; k--) x = x * 0.5f + y;
        } else if (v >> 30) {
            for (unsigned k = v >> 27; k > 7; k--) y = y * 0.25f + x;
        } else if (x > 1e6f && y > 1e6f) {
            break;
        }
        x -= 0.5f;
    }
    out[i] = x + y;
}

// Bounds of a value, each rounded its own way: interval arithmetic.
extern "C" __global__ void rounded(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[i] + 1.25, b = a + 0.5, low = 0, high = 1;
    for (int k = 0; k < n; k++) {
        double x = __dmul_rd(a, low), y = __dmul_ru(b, high);
        low = __fma_rd(__dadd_rd(x, -low), 0.5, 0.1);
        high = __fma_ru(__dadd_ru(y, -high), 0.25, 0.1);
    }
    out[i] = low + high;
}
