// Stores of parts of sectors, gathers beside atomics and stores, and loads from L2 by how many are
// under way. h200.mem.jsonl is what one H200 printed.
//   nvcc -O3 -std=c++17 -arch=sm_90 mem.cu -o mem && ./mem [section..]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <vector>
typedef unsigned u;
static char *d_flush, *d_x;
static u *d_y;
static const size_t FLUSH = 256u << 20, ROOM = 256u << 20;
static bool once;
__global__ void mark() {}
__global__ void flush_read(const float4 *p, size_t n, float *out) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        s += p[i].x;
    if (s == 1234.5f) *out = s;
}
static float us_of(std::function<void()> f) {
    static cudaEvent_t a, b;
    if (!a) cudaEventCreate(&a), cudaEventCreate(&b);
    cudaEventRecord(a);
    f();
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    return ms * 1e3f;
}
static float median(std::vector<float> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
// hot: again and again; read: L2 is full of what was read; fill: of what was written
static void rows(const char *name, double ops, std::function<void()> f, int reps = 5) {
    if (once) {
        f();
        cudaDeviceSynchronize();
        return;
    }
    float t[3];
    for (int state = 0; state < 3; state++) {
        std::vector<float> v;
        for (int i = 0; i < reps; i++) {
            if (state == 1)
                flush_read<<<1056, 256>>>((float4 *)d_flush, FLUSH / 16, (float *)d_flush);
            if (state == 2) cudaMemset(d_flush, i, FLUSH);
            float x = us_of(f);
            if (state || i) v.push_back(x);
        }
        t[state] = median(v);
    }
    printf("{\"bench\": \"%s\", \"ops\": %.0f, \"hot_us\": %.2f, \"read_us\": %.2f, \"fill_us\": "
           "%.2f}\n",
           name, ops, t[0], t[1], t[2]);
    fflush(stdout);
}
static float empty_us() {
    std::vector<float> v;
    for (int i = 0; i < 9; i++) v.push_back(us_of([] { mark<<<1, 32>>>(); }));
    return median(v);
}
__device__ __forceinline__ u mixed(u h) {
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ h >> 16;
}

// structs of STRIDE words, of which a thread stores the first N, one store each; COPY: it loads
// them before
template <int N, int STRIDE, bool COPY>
__global__ void structs(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = COPY ? in[(size_t)i * STRIDE + k] : (float)(i + k);
#pragma unroll
    for (int k = 0; k < N; k++) out[(size_t)i * STRIDE + k] = v[k];
}
template <int N, int STRIDE, bool COPY> static void struct_row(int mb) {
    int n = (int)(((size_t)mb << 20) / 4 / STRIDE) / 256 * 256;
    char name[80];
    snprintf(name, sizeof name, "structs_n%d_stride%d_%s_%dMB", N, STRIDE, COPY ? "copy" : "store",
             mb);
    if (once && ((COPY && N != 4 && N != 7 && N != 9) || mb > 16)) return;
    rows(name, (double)n * N, [=] {
        structs<N, STRIDE, COPY><<<n / 256, 256>>>((float *)(d_x + ROOM / 2), (float *)d_x, n);
    });
}
template <int N, int STRIDE> static void struct_rows() {
    struct_row<N, STRIDE, false>(16);
    struct_row<N, STRIDE, true>(16);
}
// the same at the end of work: WORK dependent steps, and GAP more before each store but the first
template <int N> __global__ void worked(float *out, int n, int work, int gap) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = i * 1e-6f;
    for (int k = 0; k < work; k++) a = __fsqrt_rn(a + 1.5f);
#pragma unroll
    for (int k = 0; k < N; k++) {
        out[(size_t)i * N + k] = a + k;
        for (int g = 0; g < gap; g++) a = a * 0.5f + 0.25f;
    }
}
template <int N> static void worked_row(int work, int gap) {
    int n = (int)((16u << 20) / 4 / N) / 256 * 256;
    char name[80];
    snprintf(name, sizeof name, "worked_n%d_work%d_gap%d", N, work, gap);
    rows(name, (double)n * N, [=] { worked<N><<<n / 256, 256>>>((float *)d_x, n, work, gap); });
}
// bytes: three to a thread, or one
template <int N> __global__ void bytes(unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++) out[(size_t)i * N + k] = (unsigned char)(i + k);
}
// columns: lane l of warp w stores word (l * pitch + w); TURN: neighbouring warps take neighbouring
// words (a transpose), otherwise far ones
template <bool TURN, class T> __global__ void columns(T *out, size_t pitch, int across, int down) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32, x, y;
    if (TURN) x = w % across, y = w / across;
    else y = w % (down / 32), x = w / (down / 32);
    out[(size_t)(y * 32 + l) * pitch + x] = (T)w;
}
template <class T> static void column_row(const char *what, size_t pitch_bytes, bool turn) {
    size_t pitch = pitch_bytes / sizeof(T);
    int across = 256, down = (int)std::min<size_t>((64u << 20) / pitch_bytes, 131072), warps;
    if ((size_t)across > pitch) across = (int)pitch;
    warps = across * (down / 32);
    char name[96];
    snprintf(name, sizeof name, "columns_%s_pitch%zu_%s", what, pitch_bytes, turn ? "turn" : "far");
    rows(name, warps * 32.0, [=] {
        if (turn) columns<true, T><<<warps / 8, 256>>>((T *)d_x, pitch, across, down);
        else columns<false, T><<<warps / 8, 256>>>((T *)d_x, pitch, across, down);
    });
}

// ---- random words: loads, atomics, stores side by side
enum { ADD, CAS, MIN };
template <int L, int A, int S, int HOW>
__global__ void __launch_bounds__(256) mix(const u *x, u *z, u *s, u mask, int rounds, u *y) {
    u h = mixed(blockIdx.x * blockDim.x + threadIdx.x + 1), sum = 0;
    for (int r = 0; r < rounds; r++) {
        u v[L > 0 ? L : 1];
#pragma unroll
        for (int k = 0; k < L; k++)
            h = h * 1664525u + 1013904223u, v[k] = __ldcg(x + (h >> 3 & mask));
#pragma unroll
        for (int k = 0; k < A; k++) {
            h = h * 1664525u + 1013904223u;
            u *p = z + (h >> 3 & mask);
            if (HOW == ADD) atomicAdd(p, 1u);
            if (HOW == MIN) atomicMin(p, h);
            if (HOW == CAS) sum += atomicCAS(p, h & 7, h);
        }
#pragma unroll
        for (int k = 0; k < S; k++) h = h * 1664525u + 1013904223u, s[h >> 3 & mask] = h;
#pragma unroll
        for (int k = 0; k < L; k++) sum += v[k];
    }
    if (sum == 12345) y[0] = sum;
}
template <int L, int A, int S, int HOW> static void mix_row(int mb) {
    char name[96];
    u mask = ((u)mb << 20) / 4 - 1;
    int rounds = 16;
    snprintf(name, sizeof name, "mix_l%d_a%d_s%d_%s_%dMB", L, A, S,
             HOW == ADD   ? "add"
             : HOW == MIN ? "min"
                          : "cas",
             mb);
    rows(name, 132.0 * 8 * 256 * rounds, [=] {
        mix<L, A, S, HOW><<<132 * 8, 256>>>((u *)d_x, (u *)(d_x + (64u << 20)),
                                            (u *)(d_x + (128u << 20)), mask, rounds, d_y);
    });
}
static void mixes(int mb) {
    mix_row<1, 0, 0, ADD>(mb);
    mix_row<2, 0, 0, ADD>(mb);
    mix_row<0, 1, 0, ADD>(mb);
    mix_row<0, 1, 0, MIN>(mb);
    mix_row<0, 1, 0, CAS>(mb);
    mix_row<0, 0, 1, ADD>(mb);
    mix_row<1, 1, 0, ADD>(mb);
    mix_row<2, 1, 0, ADD>(mb);
    mix_row<2, 1, 0, MIN>(mb);
    mix_row<4, 1, 0, ADD>(mb);
    mix_row<1, 1, 0, CAS>(mb);
    mix_row<2, 1, 0, CAS>(mb);
    mix_row<1, 2, 0, ADD>(mb);
    mix_row<1, 0, 1, ADD>(mb);
    mix_row<2, 0, 1, ADD>(mb);
    mix_row<4, 0, 1, ADD>(mb);
    mix_row<0, 1, 1, ADD>(mb);
}
// the edges of a graph: the place of the atomic comes from two loads
__global__ void edges(const uint2 *e, int n, const u *x, u *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 v = e[i];
    u a = x[v.x], b = x[v.y];
    atomicMin(z + max(a, b), min(a, b));
}
__global__ void edges_fill(uint2 *e, int n, u *x, u mask) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n || i <= (int)mask;
         i += gridDim.x * blockDim.x) {
        if (i < n) e[i] = make_uint2(mixed(2 * i + 1) & mask, mixed(2 * i + 2) & mask);
        if (i <= (int)mask) x[i] = i;
    }
}

// ---- keys in a table without places twice: a thread a key, until a place is free
__global__ void insert(u *table, u mask, u n) {
    u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u key = mixed(i + 1) | 1, at = key * 2654435761u >> 7 & mask;
    while (true) {
        u was = atomicCAS(table + at, 0u, key);
        if (!was || was == key) break;
        at = (at + 1) & mask;
    }
}

// ---- a table of sorted words and who looks where
__global__ void sorted_fill(u *t, u n) {
    for (u i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        t[i] = i * 2;
}
template <bool SORTED> __global__ void search(const u *t, int bits, u n, u *out) {
    u i = blockIdx.x * blockDim.x + threadIdx.x;
    u size = 1u << bits,
      q = SORTED ? (u)((unsigned long long)i * 2 * size / n) : mixed(i + 1) & (2 * size - 1),
      lo = 0;
    for (int k = bits - 1; k >= 0; k--)
        if (t[lo + (1u << k)] <= q) lo += 1u << k;
    out[i] = lo;
}
// random words of a table, one after another (chain) or four at once; by warps of a multiprocessor
template <int N> __global__ void gather(const u *t, u mask, int rounds, u *out) {
    u h[N], s = 0;
    for (int k = 0; k < N; k++) h[k] = mixed((blockIdx.x * blockDim.x + threadIdx.x) * N + k + 1);
    for (int r = 0; r < rounds; r++) {
        u v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = t[h[k] >> 5 & mask];
#pragma unroll
        for (int k = 0; k < N; k++)
            h[k] = h[k] * 1664525u + 1013904223u + v[k] * 16384, s += v[k]; // the table has zeros
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// whole lines from L2, likewise
template <int N> __global__ void lines(const u *t, u mask, int rounds, u *out) {
    u w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32, h[N], s = 0;
    for (int k = 0; k < N; k++) h[k] = mixed(w * N + k + 1);
    for (int r = 0; r < rounds; r++) {
        u v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = __ldcg(t + ((h[k] >> 3 & mask) & ~31u) + l);
#pragma unroll
        for (int k = 0; k < N; k++) h[k] = h[k] * 1664525u + 1013904223u + v[k] * 16384, s += v[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
static bool wanted(int c, char **v, const char *s) {
    for (int i = 1; i < c; i++)
        if (!strcmp(v[i], s)) return true;
    return c == 1;
}
int main(int argc, char **argv) {
    once = getenv("ONCE");
    cudaMalloc(&d_flush, FLUSH);
    cudaMalloc(&d_x, ROOM);
    cudaMalloc(&d_y, 64u << 20);
    cudaMemset(d_x, 0, ROOM);
    cudaMemset(d_flush, 0, FLUSH);
    cudaMemset(d_y, 0, 64u << 20);
    if (!once) printf("{\"bench\": \"empty\", \"us\": %.2f}\n", empty_us());
    if (wanted(argc, argv, "structs")) {
        struct_rows<1, 1>();
        struct_rows<1, 2>();
        struct_rows<2, 2>();
        struct_rows<3, 3>();
        struct_rows<4, 4>();
        struct_rows<5, 5>();
        struct_rows<6, 6>();
        struct_rows<7, 7>();
        struct_rows<8, 8>();
        struct_rows<9, 9>();
        struct_rows<12, 12>();
        struct_rows<16, 16>();
        struct_rows<1, 4>();
        struct_rows<1, 7>();
        struct_rows<1, 8>();
        struct_rows<2, 8>();
        struct_rows<4, 8>();
        struct_rows<7, 8>();
        struct_rows<1, 16>();
        struct_rows<2, 16>();
        struct_rows<1, 32>();
        struct_row<7, 7, false>(4);
        struct_row<9, 9, false>(4);
        struct_row<7, 7, false>(64);
        struct_row<9, 9, false>(64);
        struct_row<3, 3, false>(64);
    }
    if (wanted(argc, argv, "worked")) {
        for (int work : {1, 4, 16, 64})
            worked_row<2>(work, 0), worked_row<4>(work, 0), worked_row<7>(work, 0),
                worked_row<9>(work, 0), worked_row<16>(work, 0);
        for (int gap : {1, 4, 16})
            worked_row<4>(16, gap), worked_row<7>(16, gap), worked_row<9>(16, gap);
    }
    if (wanted(argc, argv, "bytes")) {
        rows("bytes_1", 4 << 20,
             [] { bytes<1><<<(4 << 20) / 256, 256>>>((unsigned char *)d_x, 0); });
        rows("bytes_3", 3 << 21,
             [] { bytes<3><<<(1 << 21) / 256, 256>>>((unsigned char *)d_x, 0); });
        rows("bytes_4", 1 << 23,
             [] { bytes<4><<<(1 << 21) / 256, 256>>>((unsigned char *)d_x, 0); });
    }
    if (wanted(argc, argv, "columns"))
        for (size_t p : {32, 64, 96, 128, 256, 384, 512, 640, 1024, 1152, 2048, 2176, 4096, 4224,
                         8192, 8320, 16384, 16512})
            for (int t = 0; t < 2; t++) {
                column_row<u>("words", p, t);
                if (p == 32 || p == 256 || p == 1024) column_row<unsigned short>("halves", p, t);
            }
    if (wanted(argc, argv, "mix")) {
        mixes(4);
        if (!once) mixes(32);
    }
    if (wanted(argc, argv, "edges")) {
        edges_fill<<<1056, 256>>>((uint2 *)(d_x + (128u << 20)), 2000000, (u *)d_x, (1 << 20) - 1);
        rows("edges_2M_4MB", 2e6, [] {
            edges<<<(2000000 + 255) / 256, 256>>>((uint2 *)(d_x + (128u << 20)), 2000000, (u *)d_x,
                                                  (u *)(d_x + (64u << 20)));
        });
        cudaMemset(d_x, 0, ROOM);
    }
    if (wanted(argc, argv, "insert"))
        for (int mb : {4, 16}) {
            u mask = ((u)mb << 20) / 4 - 1, n = (mask + 1) / 2;
            char name[64];
            std::vector<float> t[3];
            for (int state = 0; state < 3; state++)
                for (int i = 0; i < 5; i++) {
                    cudaMemset(d_x, 0, (size_t)mb << 20);
                    if (state == 1)
                        flush_read<<<1056, 256>>>((float4 *)d_flush, FLUSH / 16, (float *)d_flush);
                    if (state == 2) cudaMemset(d_flush, i, FLUSH);
                    auto f = [=] { insert<<<(n + 255) / 256, 256>>>((u *)d_x, mask, n); };
                    if (once) {
                        if (!state && !i) f();
                        continue;
                    }
                    t[state].push_back(us_of(f));
                }
            snprintf(name, sizeof name, "insert_%dMB", mb);
            if (!once)
                printf("{\"bench\": \"%s\", \"ops\": %u, \"hot_us\": %.2f, \"read_us\": %.2f, "
                       "\"fill_us\": %.2f}\n",
                       name, n, median(t[0]), median(t[1]), median(t[2]));
        }
    if (wanted(argc, argv, "search")) {
        sorted_fill<<<1056, 256>>>((u *)d_x, 1 << 24);
        for (int bits : {10, 12, 14, 16, 17, 18, 20, 22, 24}) {
            char name[64];
            u n = 1 << 20;
            snprintf(name, sizeof name, "search_random_%d", bits);
            rows(name, n * (double)bits,
                 [=] { search<false><<<n / 256, 256>>>((u *)d_x, bits, n, d_y); });
            snprintf(name, sizeof name, "search_sorted_%d", bits);
            if (bits % 4 == 0)
                rows(name, n * (double)bits,
                     [=] { search<true><<<n / 256, 256>>>((u *)d_x, bits, n, d_y); });
        }
        cudaMemset(d_x, 0, ROOM);
    }
    if (wanted(argc, argv, "gather"))
        for (int kb : {64, 128, 192, 256, 384, 512, 1024, 8192})
            for (int warps : {1, 4, 16, 64}) {
                if (once && warps != 64) continue;
                char name[64];
                u mask = kb * 256u - 1;
                bool pow2 = !((kb & (kb - 1)));
                if (!pow2) continue;
                snprintf(name, sizeof name, "gather1_%dKB_warps%d", kb, warps);
                int blocks = warps > 32 ? 264 : 132, threads = warps > 32 ? warps * 16 : warps * 32;
                rows(name, 132.0 * warps * 64,
                     [=] { gather<1><<<blocks, threads>>>((u *)d_x, mask, 64, d_y); });
                snprintf(name, sizeof name, "gather4_%dKB_warps%d", kb, warps);
                rows(name, 132.0 * warps * 64 * 4,
                     [=] { gather<4><<<blocks, threads>>>((u *)d_x, mask, 64, d_y); });
            }
    if (wanted(argc, argv, "lines"))
        for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
            char name[64];
            u mask = (8u << 20) / 4 - 1;
            int blocks = warps > 32 ? 264 : 132, threads = warps > 32 ? warps * 16 : warps * 32;
            snprintf(name, sizeof name, "lines1_8MB_warps%d", warps);
            rows(name, 132.0 * warps * 128,
                 [=] { lines<1><<<blocks, threads>>>((u *)d_x, mask, 128, d_y); });
            snprintf(name, sizeof name, "lines4_8MB_warps%d", warps);
            rows(name, 132.0 * warps * 128 * 4,
                 [=] { lines<4><<<blocks, threads>>>((u *)d_x, mask, 128, d_y); });
        }
    printf("{\"end\": \"%s\"}\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
