// Twenty-one kernels of textbooks and samples, each timed by a pair of events with the L2 flushed before it. On a GPU it is a plain program; on the
// simulated device, REPS=1 warplab profile --device sim:h200 tests/truth/teaching.cu. What an H200 printed is
// teaching.h200.txt; `make model` puts both into docs/model-tables.md.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <curand_kernel.h>
#include <mma.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>
#include <algorithm>
#include <functional>
namespace cg = cooperative_groups;
using namespace nvcuda;
static char *flushbuf;
static const size_t FL = 128 << 20;
__global__ void flushk(char *p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n / 16;
         i += (size_t)gridDim.x * blockDim.x)
        ((uint4 *)p)[i] = make_uint4(1, 2, 3, i);
}
static void measure(const char *name, std::function<void()> f) {
    cudaEvent_t s, e;
    cudaEventCreate(&s);
    cudaEventCreate(&e);
    std::vector<float> v;
    int reps = getenv("REPS") ? atoi(getenv("REPS")) : 5;
    for (int i = 0; i < reps; i++) {
        flushk<<<1024, 256>>>(flushbuf, FL);
        cudaEventRecord(s);
        f();
        cudaEventRecord(e);
        cudaEventSynchronize(e);
        float ms;
        cudaEventElapsedTime(&ms, s, e);
        v.push_back(ms * 1000);
    }
    std::sort(v.begin(), v.end());
    printf("%-22s %10.2f us %s\n", name, v[v.size() / 2], cudaGetErrorString(cudaGetLastError()));
    cudaEventDestroy(s);
    cudaEventDestroy(e);
}
__global__ void pi(unsigned long long *h, int per) {
    curandState s;
    curand_init(1, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
    unsigned c = 0;
    for (int i = 0; i < per; i++) {
        float x = curand_uniform(&s), y = curand_uniform(&s);
        c += x * x + y * y < 1.f;
    }
    atomicAdd(h, (unsigned long long)c);
}
__global__ void mandel(int *o, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = -2 + 3.f * x / n, ci = -1.5f + 3.f * y / n, a = 0, b = 0;
    int i = 0;
    while (i < 200 && a * a + b * b < 4) {
        float q = a * a - b * b + cr;
        b = 2 * a * b + ci;
        a = q;
        i++;
    }
    o[y * n + x] = i;
}
__global__ void bs(const float *S, const float *X, const float *T, float *C, float *P, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = S[i], x = X[i], q = T[i], sq = sqrtf(q),
          d1 = (logf(s / x) + (0.02f + 0.045f) * q) / (0.3f * sq), d2 = d1 - 0.3f * sq;
    float n1 = normcdff(d1), n2 = normcdff(d2), er = expf(-0.02f * q);
    C[i] = s * n1 - x * er * n2;
    P[i] = x * er * (1 - n2) - s * (1 - n1);
}
__global__ void life(const unsigned char *a, unsigned char *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) c += a[((y + dy + n) % n) * n + (x + dx + n) % n];
    b[y * n + x] = c == 3 || (c == 2 && a[y * n + x]);
}
__global__ void jac5(const float *a, float *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        b[y * n + x] =
            0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
__global__ void wm(const half *a, const half *b, float *c, int n) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tx = w % (n / 16), ty = w / (n / 16);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> A;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> B;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> C;
    wmma::fill_fragment(C, 0.f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(A, a + ty * 16 * n + k, n);
        wmma::load_matrix_sync(B, b + k * n + tx * 16, n);
        wmma::mma_sync(C, A, B, C);
    }
    wmma::store_matrix_sync(c + ty * 16 * n + tx * 16, C, n, wmma::mem_row_major);
}
__global__ void pipe(const float4 *a, float4 *o, int tiles) {
    __shared__ float4 s[2][256];
    auto b = cg::this_thread_block();
    auto p = cuda::make_pipeline();
    const float4 *g = a + (size_t)blockIdx.x * tiles * 256;
    p.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], g + threadIdx.x, cuda::aligned_size_t<16>(16), p);
    p.producer_commit();
    float4 acc = make_float4(0, 0, 0, 0);
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            p.producer_acquire();
            cuda::memcpy_async(&s[(t + 1) & 1][threadIdx.x], g + (t + 1) * 256 + threadIdx.x,
                               cuda::aligned_size_t<16>(16), p);
            p.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(p);
        } else cuda::pipeline_consumer_wait_prior<0>(p);
        __syncthreads();
        float4 v = s[t & 1][255 - threadIdx.x];
        acc.x += v.x;
        acc.y += v.y;
        acc.z += v.z;
        acc.w += v.w;
        __syncthreads();
        p.consumer_release();
    }
    o[blockIdx.x * 256 + threadIdx.x] = acc;
}
__global__ void bitonic(float *d) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = d[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int k = 2; k <= 1024; k <<= 1)
        for (int j = k >> 1; j; j >>= 1) {
            int p = t ^ j;
            if (p > t) {
                float a = s[t], b = s[p];
                if ((a > b) == ((t & k) == 0)) {
                    s[t] = b;
                    s[p] = a;
                }
            }
            __syncthreads();
        }
    d[blockIdx.x * 1024 + t] = s[t];
}
__global__ void fft(float2 *d) {
    __shared__ float2 s[512];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 256) {
        s[__brev(i) >> 23] = d[blockIdx.x * 512 + i];
    }
    __syncthreads();
    for (int h = 1; h < 512; h <<= 1) {
        int k = t & (h - 1), i = ((t - k) << 1) + k;
        float sn, cs;
        __sincosf(-3.14159265f * k / h, &sn, &cs);
        float2 u = s[i], v = s[i + h];
        float2 w = make_float2(v.x * cs - v.y * sn, v.x * sn + v.y * cs);
        s[i] = make_float2(u.x + w.x, u.y + w.y);
        s[i + h] = make_float2(u.x - w.x, u.y - w.y);
        __syncthreads();
    }
    for (int i = t; i < 512; i += 256) d[blockIdx.x * 512 + i] = s[i];
}
__global__ void casadd(double *d, const double *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long *p = (unsigned long long *)&d[(i * 7) % 1024], o = *p, q;
        do {
            q = o;
            o = atomicCAS(p, q, __double_as_longlong(a[i] + __longlong_as_double(q)));
        } while (o != q);
    }
}
__global__ void scanw(const int *a, int *o) {
    __shared__ int ws[32];
    int t = threadIdx.x, v = a[blockIdx.x * 1024 + t];
    for (int k = 1; k < 32; k <<= 1) {
        int u = __shfl_up_sync(~0u, v, k);
        if ((t & 31) >= k) v += u;
    }
    if ((t & 31) == 31) ws[t >> 5] = v;
    __syncthreads();
    if (t < 32) {
        int x = ws[t];
        for (int k = 1; k < 32; k <<= 1) {
            int u = __shfl_up_sync(~0u, x, k);
            if (t >= k) x += u;
        }
        ws[t] = x;
    }
    __syncthreads();
    if (t >= 32) v += ws[(t >> 5) - 1];
    o[blockIdx.x * 1024 + t] = v;
}
__global__ void texk(cudaTextureObject_t x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (i + .5f) * .7f + (j * .3f), v = (j + .5f) * .7f - i * .3f + n * .3f;
    o[j * n + i] = tex2D<float>(x, u, v);
}
__global__ void dbl(const double *a, const double *b, double *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i], y = b[i], s = 0;
    for (int k = 0; k < 64; k++) {
        s = fma(x, y, s);
        x = x * 0.999 + s * 1e-3;
    }
    c[i] = s;
}
__global__ void lock(int *m, int *c) {
    if (threadIdx.x == 0) {
        while (atomicCAS(m, 0, 1) != 0)
            ;
        *(volatile int *)c = *(volatile int *)c + 1;
        __threadfence();
        atomicExch(m, 0);
    }
}
__global__ void dp(const int *a, const int *b, int *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = 0; k < 32; k++) s = __dp4a(a[i + k * n], b[k], s);
    o[i] = s;
}
__global__ void hist64(const unsigned *a, unsigned *h, int n) {
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned v = a[i];
        for (int k = 0; k < 4; k++) atomicAdd(&s[v >> (8 * k) & 63], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
__global__ void lud(float *m, int n, int k) {
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y, j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) m[i * n + j] -= m[i * n + k] / m[k * n + k] * m[k * n + j];
}
__global__ void bfs(const int *row, const int *col, int *lev, int n, int cur, int *any) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && lev[v] == cur)
        for (int e = row[v]; e < row[v + 1]; e++) {
            int w = col[e];
            if (lev[w] < 0) {
                lev[w] = cur + 1;
                *any = 1;
            }
        }
}
__global__ void hot(const half2 *a, const half2 *b, half2 *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half2 x = a[i], y = b[i], s = x;
    for (int k = 0; k < 128; k++) s = __hfma2(s, y, x);
    c[i] = s;
}
__global__ void rbg(const unsigned char *p, unsigned char *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = .3f * p[3 * i] + .59f * p[3 * i + 1] + .11f * p[3 * i + 2];
}
__global__ void clus(const float2 *p, const float2 *c, int *o, int n, int k) {
    extern __shared__ float2 s[];
    for (int i = threadIdx.x; i < k; i += blockDim.x) s[i] = c[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 q = p[i];
    float best = 1e30f;
    int at = 0;
    for (int j = 0; j < k; j++) {
        float dx = q.x - s[j].x, dy = q.y - s[j].y, d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            at = j;
        }
    }
    o[i] = at;
}
int main() {
    cudaMalloc(&flushbuf, FL);
    const size_t N = 1 << 22;
    char *A, *B, *C, *D;
    cudaMalloc(&A, 64 << 20);
    cudaMalloc(&B, 64 << 20);
    cudaMalloc(&C, 64 << 20);
    cudaMalloc(&D, 64 << 20);
    cudaMemset(D, 0, 64 << 20);
    std::vector<float> h(N);
    unsigned r = 1;
    for (auto &x : h) {
        r = r * 1664525u + 1013904223u;
        x = 0.5f + (r >> 8) / 16777216.f;
    }
    cudaMemcpy(A, h.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(B, h.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(C, h.data(), N * 4, cudaMemcpyHostToDevice);
    measure("curand pi", [&] { pi<<<64, 256>>>((unsigned long long *)D, 100); });
    measure("mandelbrot 512", [&] { mandel<<<dim3(32, 32), dim3(16, 16)>>>((int *)D, 512); });
    measure("black-scholes 1M", [&] {
        bs<<<4096, 256>>>((float *)A, (float *)B, (float *)C, (float *)D, (float *)D + N, 1 << 20);
    });
    measure("life 2048 bytes",
            [&] { life<<<dim3(128, 128), dim3(16, 16)>>>((unsigned char *)A, (unsigned char *)D, 2048); });
    measure("jacobi 2048", [&] { jac5<<<dim3(64, 256), dim3(32, 8)>>>((float *)A, (float *)D, 2048); });
    measure("wmma 512", [&] { wm<<<256, 128>>>((half *)A, (half *)B, (float *)D, 512); });
    measure("cp.async pipeline", [&] { pipe<<<264, 256>>>((float4 *)A, (float4 *)D, 8); });
    measure("bitonic 1024x256", [&] { bitonic<<<256, 1024>>>((float *)C); });
    measure("fft 512x2048", [&] { fft<<<2048, 256>>>((float2 *)C); });
    measure("cas double add", [&] { casadd<<<256, 256>>>((double *)D, (double *)A, 65536); });
    measure("scan warps", [&] { scanw<<<2048, 1024>>>((int *)A, (int *)D); });
    cudaArray_t arr;
    auto f = cudaCreateChannelDesc<float>();
    cudaMallocArray(&arr, &f, 1024, 1024);
    cudaMemcpy2DToArray(arr, 0, 0, A, 4096, 4096, 1024, cudaMemcpyDeviceToDevice);
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = arr;
    cudaTextureDesc td = {};
    td.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t tx;
    cudaCreateTextureObject(&tx, &rd, &td, 0);
    measure("texture rotate 1024", [&] { texk<<<dim3(64, 64), dim3(16, 16)>>>(tx, (float *)D, 1024); });
    measure("double fma 1M", [&] { dbl<<<4096, 256>>>((double *)A, (double *)B, (double *)D, 1 << 20); });
    cudaMemset(D, 0, 64);
    measure("lock 64 blocks", [&] { lock<<<64, 32>>>((int *)D, (int *)D + 32); });
    measure("dp4a", [&] { dp<<<512, 256>>>((int *)A, (int *)B, (int *)D, 1 << 17); });
    measure("hist64", [&] { hist64<<<264, 256>>>((unsigned *)A, (unsigned *)D, 1 << 21); });
    measure("lu step 1024", [&] { lud<<<dim3(64, 64), dim3(16, 16)>>>((float *)A, 1024, 0); });
    std::vector<int> row(65537), col(65536 * 8), lev(65536, -1);
    for (int i = 0; i <= 65536; i++) row[i] = i * 8;
    for (auto &c : col) {
        r = r * 1664525u + 1013904223u;
        c = r >> 16;
    }
    for (int i = 0; i < 65536; i += 3) lev[i] = 0;
    cudaMemcpy(B, row.data(), 65537 * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(C, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(D, lev.data(), 65536 * 4, cudaMemcpyHostToDevice);
    measure("bfs level",
            [&] { bfs<<<256, 256>>>((int *)B, (int *)C, (int *)D, 65536, 0, (int *)D + 70000); });
    measure("half2 fma 1M", [&] { hot<<<4096, 256>>>((half2 *)A, (half2 *)B, (half2 *)D, 1 << 20); });
    measure("gray 4M", [&] { rbg<<<16384, 256>>>((unsigned char *)A, (unsigned char *)D, 1 << 22); });
    measure("k-means assign",
            [&] { clus<<<512, 256, 64 * 8>>>((float2 *)A, (float2 *)A + 500000, (int *)D, 131072, 64); });
}
