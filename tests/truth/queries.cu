// Graphs, hashing, sorting, scans, databases, strings and sparse products:
// 17 groups, 40 variants, one kernel a variant.
//   set5         times them all
//   set5 check   runs each once and compares it with a CPU reference
#include "programs.h"
#include <cmath>
#include <cstdint>
#include <utility>

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
#define FULL 0xffffffffu
#define HMUL 2654435769u

// ---------------------------------------------------------------- host helpers
static bool checking = false;
static u64 seed_state = 0x9e3779b97f4a7c15ull;
static void reseed(u64 s) { seed_state = s * 0x2545f4914f6cdd1dull + 0x9e3779b97f4a7c15ull; }
static u32 rnd32() {
    u64 z = (seed_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (u32)((z ^ (z >> 31)) >> 32);
}
static double rndf() { return rnd32() / 4294967296.0; }
static u32 mix32(u32 x) {  // a bijection; only 0 goes to 0
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    return x;
}
template <class T> static T *up(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *zeros(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T> static std::vector<T> down(const T *p, size_t n) {
    std::vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
template <class T> static bool same(const T *p, const std::vector<T> &ref) {
    return down(p, ref.size()) == ref;
}
static bool close_to(const float *p, const std::vector<float> &ref) {
    std::vector<float> h = down(p, ref.size());
    for (size_t i = 0; i < h.size(); i++)
        if (!(fabs((double)h[i] - ref[i]) <= 1e-3 * fabs((double)ref[i]) + 1e-7)) return false;
    return true;
}
static void run_one(const char *group, const char *variant, std::function<void()> prep,
                    std::function<void()> launch, std::function<bool()> verify) {
    prep();
    if (!checking) {
        bench(group, variant, launch);
        return;
    }
    launch();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", group, variant, verify() ? "true" : "false");
    fflush(stdout);
}

struct Graph {
    int n = 0;
    std::vector<int> row, col, src;  // CSR, and the row of each entry
};
static std::vector<std::pair<int, int>> rmat(int scale, int pairs, double a,
                                             double b) {
    std::vector<int> perm(1 << scale);
    for (int i = 0; i < (1 << scale); i++) perm[i] = i;
    for (int i = (1 << scale) - 1; i > 0; i--) std::swap(perm[i], perm[rnd32() % (i + 1)]);
    std::vector<std::pair<int, int>> e;
    for (int k = 0; k < pairs; k++) {
        int u = 0, v = 0;
        for (int bit = 0; bit < scale; bit++) {
            double r = rndf();
            int ub = r >= a + b, vb = (r >= a && r < a + b) || r >= a + 2 * b;
            u = u * 2 + ub;
            v = v * 2 + vb;
        }
        if (u == v) continue;
        e.push_back({perm[u], perm[v]});
        e.push_back({perm[v], perm[u]});
    }
    std::sort(e.begin(), e.end());
    e.erase(std::unique(e.begin(), e.end()), e.end());
    return e;
}
static Graph csr(int n, const std::vector<std::pair<int, int>> &e) {  // e is sorted
    Graph g;
    g.n = n;
    g.row.assign(n + 1, 0);
    for (auto &p : e) {
        g.row[p.first + 1]++;
        g.src.push_back(p.first);
        g.col.push_back(p.second);
    }
    for (int i = 0; i < n; i++) g.row[i + 1] += g.row[i];
    return g;
}

// ---------------------------------------------------------------- 1. one BFS step
__global__ void bfs_thread(const int *row, const int *col, const int *frontier, int nf,
                           const u8 *visited, u8 *next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nf) return;
    int u = frontier[i];
    for (int e = row[u]; e < row[u + 1]; e++) {
        int v = col[e];
        if (!visited[v]) next[v] = 1;
    }
}
__global__ void bfs_warp(const int *row, const int *col, const int *frontier, int nf,
                         const u8 *visited, u8 *next) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (w >= nf) return;
    int u = frontier[w];
    int end = row[u + 1];
    for (int e = row[u] + lane; e < end; e += 32) {
        int v = col[e];
        if (!visited[v]) next[v] = 1;
    }
}
__global__ void bfs_bottom_up(const int *row, const int *col, int n, const u32 *in_frontier,
                              const u8 *visited, u8 *next) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || visited[v]) return;
    int end = row[v + 1];
    for (int e = row[v]; e < end; e++) {
        int u = col[e];
        if ((in_frontier[u >> 5] >> (u & 31)) & 1) {
            next[v] = 1;
            break;
        }
    }
}
static void group_bfs() {
    const char *G = "bfs_step";
    if (!wanted(G)) return;
    reseed(1);
    const int n = 1 << 18;
    Graph g = csr(n, rmat(18, 1 << 20, 0.40, 0.22));
    std::vector<int> dist(n, -1);
    int s = 0;
    while (g.row[s + 1] - g.row[s] < 4) s++;
    std::vector<std::vector<int>> level(1, std::vector<int>(1, s));
    dist[s] = 0;
    while (!level.back().empty()) {
        std::vector<int> nx;
        for (int u : level.back())
            for (int e = g.row[u]; e < g.row[u + 1]; e++)
                if (dist[g.col[e]] < 0) {
                    dist[g.col[e]] = (int)level.size();
                    nx.push_back(g.col[e]);
                }
        level.push_back(nx);
    }
    // the step with the most edges both in its frontier and at vertices not yet reached
    int best = 0;
    long bestv = -1;
    for (int l = 0; l < (int)level.size(); l++) {
        long fe = 0, ue = 0;
        for (int v = 0; v < n; v++) {
            int d = g.row[v + 1] - g.row[v];
            if (dist[v] == l) fe += d;
            if (dist[v] > l || dist[v] < 0) ue += d;
        }
        if (std::min(fe, ue) > bestv) bestv = std::min(fe, ue), best = l;
    }
    std::vector<int> frontier = level[best];
    std::sort(frontier.begin(), frontier.end());
    int nf = (int)frontier.size();
    std::vector<u8> visited(n), ref(n);
    std::vector<u32> bits(n / 32, 0);
    for (int v = 0; v < n; v++) {
        visited[v] = dist[v] >= 0 && dist[v] <= best;
        ref[v] = dist[v] == best + 1;
        if (dist[v] == best) bits[v >> 5] |= 1u << (v & 31);
    }
    int *row = up(g.row), *col = up(g.col), *fr = up(frontier);
    u8 *vis = up(visited), *next = zeros<u8>(n);
    u32 *bm = up(bits);
    auto prep = [&] { CK(cudaMemset(next, 0, n)); };
    auto ok = [&] { return same(next, ref); };
    run_one(G, "thread", prep,
            [&] { bfs_thread<<<(nf + 255) / 256, 256>>>(row, col, fr, nf, vis, next); }, ok);
    run_one(G, "warp", prep,
            [&] { bfs_warp<<<(nf + 7) / 8, 256>>>(row, col, fr, nf, vis, next); }, ok);
    run_one(G, "bottom_up", prep,
            [&] { bfs_bottom_up<<<n / 256, 256>>>(row, col, n, bm, vis, next); }, ok);
}

// ---------------------------------------------------------------- 2. one PageRank iteration
__global__ void pr_pull_thread(const int *row, const int *col, const float *rank,
                               const int *deg, float *out, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float sum = 0;
    for (int e = row[v]; e < row[v + 1]; e++) {
        int u = col[e];
        sum += rank[u] / deg[u];
    }
    out[v] = 0.15f / n + 0.85f * sum;
}
__global__ void pr_pull_warp(const int *__restrict__ row, const int *__restrict__ col,
                             const float *__restrict__ contrib, float *__restrict__ out, int n) {
    int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (v >= n) return;
    float sum = 0;
    int end = row[v + 1];
    for (int e = row[v] + lane; e < end; e += 32) sum += contrib[col[e]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(FULL, sum, o);
    if (lane == 0) out[v] = 0.15f / n + 0.85f * sum;
}
__global__ void pr_push_edge(const int *src, const int *dst, const float *contrib, float *out,
                             int m) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m) atomicAdd(&out[dst[e]], 0.85f * contrib[src[e]]);
}
static void group_pagerank() {
    const char *G = "pagerank";
    if (!wanted(G)) return;
    reseed(2);
    const int n = 1 << 15;
    Graph g = csr(n, rmat(15, 1 << 19, 0.42, 0.22));
    int m = (int)g.col.size();
    std::vector<float> rank(n), contrib(n), base(n, 0.15f / n), ref(n);
    std::vector<int> deg(n);
    for (int v = 0; v < n; v++) {
        rank[v] = (float)((0.5 + rndf()) / n);
        deg[v] = g.row[v + 1] - g.row[v];
        contrib[v] = deg[v] ? rank[v] / deg[v] : 0.f;
    }
    for (int v = 0; v < n; v++) {
        double sum = 0;
        for (int e = g.row[v]; e < g.row[v + 1]; e++) sum += contrib[g.col[e]];
        ref[v] = (float)(0.15 / n + 0.85 * sum);
    }
    int *row = up(g.row), *col = up(g.col), *src = up(g.src), *dg = up(deg);
    float *rk = up(rank), *ct = up(contrib), *out = zeros<float>(n);
    auto prep = [&] {
        CK(cudaMemcpy(out, base.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    };
    auto ok = [&] { return close_to(out, ref); };
    run_one(G, "pull_thread", prep,
            [&] { pr_pull_thread<<<n / 128, 128>>>(row, col, rk, dg, out, n); }, ok);
    run_one(G, "pull_warp", prep,
            [&] { pr_pull_warp<<<n / 8, 256>>>(row, col, ct, out, n); }, ok);
    run_one(G, "push_edge", prep,
            [&] { pr_push_edge<<<(m + 255) / 256, 256>>>(src, col, ct, out, m); }, ok);
}

// ---------------------------------------------------------------- 3. triangle counting
// the graph is oriented from the vertex of lower degree to that of higher degree
__device__ __forceinline__ void add_to_total(int c, u64 *total) {
    for (int o = 16; o > 0; o >>= 1) c += __shfl_down_sync(FULL, c, o);
    if ((threadIdx.x & 31) == 0 && c) atomicAdd(total, (u64)c);
}
__global__ void tri_merge(const int *row, const int *col, const int *src, int m, u64 *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = 0;
    if (i < m) {
        int u = src[i], v = col[i];
        int a = row[u], ae = row[u + 1], b = row[v], be = row[v + 1];
        while (a < ae && b < be) {
            int x = col[a], y = col[b];
            c += x == y;
            a += x <= y;
            b += y <= x;
        }
    }
    add_to_total(c, total);
}
__global__ void tri_bitmap(const int *row, const int *col, int n, u64 *total) {
    __shared__ u32 bits[8][256];  // 8192 vertices for each of 8 warps
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int u = blockIdx.x * 8 + warp;
    for (int k = lane; k < 256; k += 32) bits[warp][k] = 0;
    __syncwarp();
    int c = 0;
    if (u < n) {
        int begin = row[u], end = row[u + 1];
        for (int e = begin + lane; e < end; e += 32) {
            int v = col[e];
            atomicOr(&bits[warp][v >> 5], 1u << (v & 31));
        }
        __syncwarp();
        for (int e = begin + (lane >> 3); e < end; e += 4) {
            int v = col[e];
            int fe = row[v + 1];
            for (int f = row[v] + (lane & 7); f < fe; f += 8) {
                int w = col[f];
                c += (bits[warp][w >> 5] >> (w & 31)) & 1;
            }
        }
    }
    __syncwarp();
    add_to_total(c, total);
}
static void group_triangles() {
    const char *G = "triangles";
    if (!wanted(G)) return;
    reseed(3);
    const int n = 1 << 13;
    auto all = rmat(13, 120000, 0.45, 0.22);
    Graph full = csr(n, all);
    std::vector<std::pair<int, int>> o;
    for (auto &p : all) {
        int du = full.row[p.first + 1] - full.row[p.first];
        int dv = full.row[p.second + 1] - full.row[p.second];
        if (du < dv || (du == dv && p.first < p.second)) o.push_back(p);
    }
    Graph g = csr(n, o);
    int m = (int)g.col.size();
    std::vector<u64> ref(1, 0);
    std::vector<u8> mark(n, 0);
    for (int u = 0; u < n; u++) {
        for (int e = g.row[u]; e < g.row[u + 1]; e++) mark[g.col[e]] = 1;
        for (int e = g.row[u]; e < g.row[u + 1]; e++)
            for (int f = g.row[g.col[e]]; f < g.row[g.col[e] + 1]; f++) ref[0] += mark[g.col[f]];
        for (int e = g.row[u]; e < g.row[u + 1]; e++) mark[g.col[e]] = 0;
    }
    int *row = up(g.row), *col = up(g.col), *src = up(g.src);
    u64 *total = zeros<u64>(1);
    auto prep = [&] { CK(cudaMemset(total, 0, sizeof(u64))); };
    auto ok = [&] { return same(total, ref); };
    run_one(G, "edge_merge", prep,
            [&] { tri_merge<<<(m + 255) / 256, 256>>>(row, col, src, m, total); }, ok);
    run_one(G, "vertex_bitmap", prep,
            [&] { tri_bitmap<<<n / 8, 256>>>(row, col, n, total); }, ok);
}

// ---------------------------------------------------------------- 4. histogram, 1024 bins, skewed
__global__ void hist_global(const u32 *x, int n, u32 *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] >> 22], 1u);
}
__global__ void hist_shared(const u32 *x, int n, u32 *bins) {
    __shared__ u32 s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[x[i] >> 22], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        if (s[k]) atomicAdd(&bins[k], s[k]);
}
static void group_hist() {
    const char *G = "histogram";
    if (!wanted(G)) return;
    reseed(4);
    const int n = 1 << 21;
    std::vector<u32> x(n), ref(1024, 0);
    for (auto &v : x) {
        double r = rndf();
        v = (u32)(r * r * r * 4294967295.0);
        ref[v >> 22]++;
    }
    u32 *dx = up(x), *bins = zeros<u32>(1024);
    auto prep = [&] { CK(cudaMemset(bins, 0, 4096)); };
    auto ok = [&] { return same(bins, ref); };
    run_one(G, "global_atomic", prep, [&] { hist_global<<<n / 256, 256>>>(dx, n, bins); }, ok);
    run_one(G, "shared_atomic", prep, [&] { hist_shared<<<264, 512>>>(dx, n, bins); }, ok);
}

// ---------------------------------------------------------------- 5. radix sort: scatter by 4 bits
// offs[digit * tiles + tile]: where the tile's first key with that digit goes
__global__ void radix_split(const u32 *in, u32 *out, const int *offs, int shift) {
    __shared__ u32 s[1024];
    __shared__ int wsum[32];
    __shared__ int start[16];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int tile = blockIdx.x, tiles = gridDim.x;
    u32 key = in[tile * 1024 + t];
    for (int b = 0; b < 4; b++) {
        int one = (key >> (shift + b)) & 1;
        u32 zeros_mask = __ballot_sync(FULL, !one);
        if (lane == 0) wsum[warp] = __popc(zeros_mask);
        __syncthreads();
        if (warp == 0) {
            int v = wsum[lane];
            for (int o = 1; o < 32; o <<= 1) {
                int y = __shfl_up_sync(FULL, v, o);
                if (lane >= o) v += y;
            }
            wsum[lane] = v;  // inclusive
        }
        __syncthreads();
        int total = wsum[31];
        int before = (warp ? wsum[warp - 1] : 0) + __popc(zeros_mask & ((1u << lane) - 1));
        int pos = one ? total + t - before : before;
        s[pos] = key;
        __syncthreads();
        key = s[t];
    }
    int d = (key >> shift) & 15;
    if (t == 0 || ((s[t - 1] >> shift) & 15) != (u32)d) start[d] = t;
    __syncthreads();
    out[offs[d * tiles + tile] + t - start[d]] = key;
}
__global__ void radix_match(const u32 *in, u32 *out, const int *offs, int shift) {
    __shared__ int cnt[8][16];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int tile = blockIdx.x, tiles = gridDim.x;
    if (t < 128) cnt[t >> 4][t & 15] = 0;
    __syncthreads();
    u32 key[4];
    int rank[4];
#pragma unroll
    for (int r = 0; r < 4; r++) key[r] = in[tile * 1024 + warp * 128 + r * 32 + lane];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int d = (key[r] >> shift) & 15;
        u32 peers = __match_any_sync(FULL, d);
        int mine = __popc(peers & ((1u << lane) - 1));
        int pre = cnt[warp][d];
        __syncwarp();
        if (mine == 0) cnt[warp][d] = pre + __popc(peers);
        __syncwarp();
        rank[r] = pre + mine;
    }
    __syncthreads();
    if (t < 16) {
        int sum = offs[t * tiles + tile];
        for (int w = 0; w < 8; w++) {
            int c = cnt[w][t];
            cnt[w][t] = sum;
            sum += c;
        }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; r++) out[cnt[warp][(key[r] >> shift) & 15] + rank[r]] = key[r];
}
static void group_radix() {
    const char *G = "radix_scatter";
    if (!wanted(G)) return;
    reseed(5);
    const int tiles = 384, n = tiles * 1024, shift = 8;
    std::vector<u32> x(n), ref;
    for (auto &v : x) v = rnd32();
    std::vector<int> cnt(16 * tiles, 0);
    for (int i = 0; i < n; i++) cnt[((x[i] >> shift) & 15) * tiles + i / 1024]++;
    int sum = 0;
    for (auto &c : cnt) {
        int k = c;
        c = sum;
        sum += k;
    }
    ref = x;
    std::stable_sort(ref.begin(), ref.end(), [&](u32 a, u32 b) {
        return ((a >> shift) & 15) < ((b >> shift) & 15);
    });
    u32 *in = up(x), *out = zeros<u32>(n);
    int *offs = up(cnt);
    auto prep = [&] { CK(cudaMemset(out, 0, n * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "bit_splits", prep, [&] { radix_split<<<tiles, 1024>>>(in, out, offs, shift); }, ok);
    run_one(G, "warp_match", prep, [&] { radix_match<<<tiles, 256>>>(in, out, offs, shift); }, ok);
}

// ---------------------------------------------------------------- 6. sort tiles of 256 distinct keys
__global__ void sort_bitonic_shared(const u32 *in, u32 *out) {
    __shared__ u32 s[256];
    int t = threadIdx.x, base = blockIdx.x * 256;
    s[t] = in[base + t];
    s[t + 128] = in[base + t + 128];
    for (int k = 2; k <= 256; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int i = 2 * t - (t & (j - 1));
            bool asc = (i & k) == 0;
            u32 a = s[i], b = s[i + j];
            if ((a > b) == asc) {
                s[i] = b;
                s[i + j] = a;
            }
        }
    __syncthreads();
    out[base + t] = s[t];
    out[base + t + 128] = s[t + 128];
}
__global__ void sort_bitonic_shuffle(const u32 *in, u32 *out) {
    __shared__ u32 s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    u32 x = in[i];
#pragma unroll
    for (int k = 2; k <= 256; k <<= 1) {
#pragma unroll
        for (int j = k >> 1; j > 0; j >>= 1) {
            u32 y;
            if (j >= 32) {
                s[t] = x;
                __syncthreads();
                y = s[t ^ j];
                __syncthreads();
            } else {
                y = __shfl_xor_sync(FULL, x, j);
            }
            bool keep_min = ((t & k) == 0) == ((t & j) == 0);
            x = keep_min ? min(x, y) : max(x, y);
        }
    }
    out[i] = x;
}
__global__ void sort_rank(const u32 *in, u32 *out) {
    __shared__ uint4 s4[64];
    int t = threadIdx.x, base = blockIdx.x * 256;
    u32 x = in[base + t];
    ((u32 *)s4)[t] = x;
    __syncthreads();
    int r = 0;
#pragma unroll 8
    for (int i = 0; i < 64; i++) {
        uint4 v = s4[i];
        r += (v.x < x) + (v.y < x) + (v.z < x) + (v.w < x);
    }
    out[base + r] = x;
}
static void group_tile_sort() {
    const char *G = "tile_sort";
    if (!wanted(G)) return;
    const int n = 1 << 17;
    std::vector<u32> x(n), ref;
    for (int i = 0; i < n; i++) x[i] = mix32(i + 12345);
    ref = x;
    for (int i = 0; i < n; i += 256) std::sort(ref.begin() + i, ref.begin() + i + 256);
    u32 *in = up(x), *out = zeros<u32>(n);
    auto prep = [&] { CK(cudaMemset(out, 0, n * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "bitonic_shared", prep,
            [&] { sort_bitonic_shared<<<n / 256, 128>>>(in, out); }, ok);
    run_one(G, "bitonic_shuffle", prep,
            [&] { sort_bitonic_shuffle<<<n / 256, 256>>>(in, out); }, ok);
    run_one(G, "rank", prep, [&] { sort_rank<<<n / 256, 256>>>(in, out); }, ok);
}

// ---------------------------------------------------------------- 7. merge two sorted arrays
// how many of the first d outputs come from a; equal keys of a go first
__device__ __forceinline__ int merge_path(const int *a, int na, const int *b, int nb, int d) {
    int lo = max(0, d - nb), hi = min(d, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[d - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
__global__ void merge_rank(const int *a, int na, const int *b, int nb, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na) {
        int x = a[i], lo = 0, hi = nb;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (b[mid] < x) lo = mid + 1;
            else hi = mid;
        }
        out[i + lo] = x;
    } else if (i < na + nb) {
        int j = i - na;
        int x = b[j], lo = 0, hi = na;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (a[mid] <= x) lo = mid + 1;
            else hi = mid;
        }
        out[j + lo] = x;
    }
}
__global__ void merge_path_thread(const int *a, int na, const int *b, int nb, int *out) {
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (d >= na + nb) return;
    int i = merge_path(a, na, b, nb, d), j = d - i;
    int end = min(d + 8, na + nb);
    for (; d < end; d++) {
        bool from_a = j >= nb || (i < na && a[i] <= b[j]);
        out[d] = from_a ? a[i++] : b[j++];
    }
}
__global__ void merge_path_block(const int *a, int na, const int *b, int nb, int *out) {
    __shared__ int s[2048];
    __shared__ int cut[2];
    int t = threadIdx.x, d0 = blockIdx.x * 2048;  // na + nb is a multiple of 2048
    if (t < 2) cut[t] = merge_path(a, na, b, nb, d0 + t * 2048);
    __syncthreads();
    int a0 = cut[0], la = cut[1] - a0, b0 = d0 - a0, lb = 2048 - la;
    for (int i = t; i < 2048; i += 256) s[i] = i < la ? a[a0 + i] : b[b0 + i - la];
    __syncthreads();
    const int *sa = s, *sb = s + la;
    int i = merge_path(sa, la, sb, lb, t * 8), j = t * 8 - i;
    int r[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        bool from_a = j >= lb || (i < la && sa[i] <= sb[j]);
        r[k] = from_a ? sa[i++] : sb[j++];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) s[t * 8 + k] = r[k];
    __syncthreads();
    for (int k = t; k < 2048; k += 256) out[d0 + k] = s[k];
}
static void group_merge() {
    const char *G = "merge_sorted";
    if (!wanted(G)) return;
    reseed(7);
    const int na = 1 << 19, nb = 1 << 18, n = na + nb;
    std::vector<int> a(na), b(nb), ref(n);
    for (auto &v : a) v = rnd32() % 4000000;
    for (auto &v : b) v = rnd32() % 4000000;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), ref.begin());
    int *da = up(a), *db = up(b), *out = zeros<int>(n);
    auto prep = [&] { CK(cudaMemset(out, 0, n * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "rank_search", prep,
            [&] { merge_rank<<<n / 256, 256>>>(da, na, db, nb, out); }, ok);
    run_one(G, "path_thread", prep,
            [&] { merge_path_thread<<<n / 2048, 256>>>(da, na, db, nb, out); }, ok);
    run_one(G, "path_block", prep,
            [&] { merge_path_block<<<n / 2048, 256>>>(da, na, db, nb, out); }, ok);
}

// ---------------------------------------------------------------- 8. inclusive scan of rows of 1024
__global__ void scan_hillis_steele(const int *in, int *out) {
    __shared__ int s[2][1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t, p = 0;
    s[0][t] = in[i];
    __syncthreads();
    for (int o = 1; o < 1024; o <<= 1) {
        int v = s[p][t];
        if (t >= o) v += s[p][t - o];
        s[p ^ 1][t] = v;
        p ^= 1;
        __syncthreads();
    }
    out[i] = s[p][t];
}
__global__ void scan_blelloch(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    int x0 = in[base + t], x1 = in[base + t + 512];
    s[t] = x0;
    s[t + 512] = x1;
    int off = 1;
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1];
        off <<= 1;
    }
    if (t == 0) s[1023] = 0;
    for (int d = 1; d < 1024; d <<= 1) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = off * (2 * t + 1) - 1, bi = off * (2 * t + 2) - 1;
            int v = s[ai];
            s[ai] = s[bi];
            s[bi] += v;
        }
    }
    __syncthreads();
    out[base + t] = s[t] + x0;
    out[base + t + 512] = s[t + 512] + x1;
}
__global__ void scan_shuffle(const int4 *in, int4 *out) {
    __shared__ int wsum[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * 256 + t;
    int4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int sum = v.w;
    for (int o = 1; o < 32; o <<= 1) {
        int y = __shfl_up_sync(FULL, sum, o);
        if (lane >= o) sum += y;
    }
    if (lane == 31) wsum[warp] = sum;
    __syncthreads();
    int add = sum - v.w;
    for (int w = 0; w < warp; w++) add += wsum[w];
    v.x += add;
    v.y += add;
    v.z += add;
    v.w += add;
    out[i] = v;
}
static void group_scan() {
    const char *G = "row_scan";
    if (!wanted(G)) return;
    reseed(8);
    const int rows = 768, n = rows * 1024;
    std::vector<int> x(n), ref(n);
    for (int i = 0; i < n; i++) {
        x[i] = rnd32() % 1000;
        ref[i] = x[i] + (i % 1024 ? ref[i - 1] : 0);
    }
    int *in = up(x), *out = zeros<int>(n);
    auto prep = [&] { CK(cudaMemset(out, 0, n * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "hillis_steele", prep, [&] { scan_hillis_steele<<<rows, 1024>>>(in, out); }, ok);
    run_one(G, "blelloch", prep, [&] { scan_blelloch<<<rows, 512>>>(in, out); }, ok);
    run_one(G, "shuffle_int4", prep,
            [&] { scan_shuffle<<<rows, 256>>>((const int4 *)in, (int4 *)out); }, ok);
}

// ---------------------------------------------------------------- 9. stream compaction (any order)
// the last block to finish stores the count and clears the counter for the next launch
__device__ __forceinline__ void finish(u32 *ctr, u32 *done, u32 *count) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicInc(done, gridDim.x - 1) == gridDim.x - 1) *count = atomicExch(ctr, 0u);
    }
}
__global__ void compact_atomic(const u32 *x, int n, u32 limit, u32 *out, u32 *ctr, u32 *done,
                               u32 *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u32 v = x[i];
        if (v < limit) out[atomicAdd(ctr, 1u)] = v;
    }
    finish(ctr, done, count);
}
__global__ void compact_warp(const u32 *x, u32 limit, u32 *out, u32 *ctr, u32 *done,
                             u32 *count) {
    int lane = threadIdx.x & 31;
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;  // 128 elements a warp
    u32 v[4], m[4], total = 0, base = 0;
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = x[w * 128 + r * 32 + lane];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        m[r] = __ballot_sync(FULL, v[r] < limit);
        total += __popc(m[r]);
    }
    if (lane == 0) base = atomicAdd(ctr, total);
    base = __shfl_sync(FULL, base, 0);
#pragma unroll
    for (int r = 0; r < 4; r++) {
        if (v[r] < limit) out[base + __popc(m[r] & ((1u << lane) - 1))] = v[r];
        base += __popc(m[r]);
    }
    finish(ctr, done, count);
}
__global__ void compact_block(const uint4 *x, u32 limit, u32 *out, u32 *ctr, u32 *done,
                              u32 *count) {
    __shared__ u32 wsum[8], base;
    __shared__ u32 buf[1024];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    uint4 v = x[blockIdx.x * 256 + t];
    u32 c = (v.x < limit) + (v.y < limit) + (v.z < limit) + (v.w < limit), inc = c;
    for (int o = 1; o < 32; o <<= 1) {
        u32 y = __shfl_up_sync(FULL, inc, o);
        if (lane >= o) inc += y;
    }
    if (lane == 31) wsum[warp] = inc;
    __syncthreads();
    u32 pos = inc - c, total = 0;
    for (int w = 0; w < 8; w++) {
        if (w < warp) pos += wsum[w];
        total += wsum[w];
    }
    if (t == 0) base = atomicAdd(ctr, total);
    if (v.x < limit) buf[pos++] = v.x;
    if (v.y < limit) buf[pos++] = v.y;
    if (v.z < limit) buf[pos++] = v.z;
    if (v.w < limit) buf[pos++] = v.w;
    __syncthreads();
    for (u32 k = t; k < total; k += 256) out[base + k] = buf[k];
    finish(ctr, done, count);
}
static void group_compact() {
    const char *G = "compact";
    if (!wanted(G)) return;
    reseed(9);
    const int n = 1 << 21;
    const u32 limit = 1288490188u;  // about 30 %
    std::vector<u32> x(n), ref;
    for (auto &v : x) {
        v = rnd32();
        if (v < limit) ref.push_back(v);
    }
    std::sort(ref.begin(), ref.end());
    u32 *dx = up(x), *out = zeros<u32>(n), *ctl = zeros<u32>(96);
    u32 *ctr = ctl, *done = ctl + 32, *count = ctl + 64;
    auto prep = [&] {
        CK(cudaMemset(ctl, 0, 96 * 4));
        CK(cudaMemset(out, 0, (size_t)n * 4));
    };
    auto ok = [&] {
        u32 k = down(count, 1)[0];
        if (k != ref.size() || down(ctr, 1)[0] || down(done, 1)[0]) return false;
        std::vector<u32> h = down(out, k);
        std::sort(h.begin(), h.end());
        return h == ref;
    };
    run_one(G, "thread_atomic", prep,
            [&] { compact_atomic<<<n / 256, 256>>>(dx, n, limit, out, ctr, done, count); }, ok);
    run_one(G, "warp_ballot", prep,
            [&] { compact_warp<<<n / 1024, 256>>>(dx, limit, out, ctr, done, count); }, ok);
    run_one(G, "block_scan", prep, [&] {
        compact_block<<<n / 1024, 256>>>((const uint4 *)dx, limit, out, ctr, done, count);
    }, ok);
}

// ---------------------------------------------------------------- 10. hash table build
// a slot holds (epoch << 32) | key: those of older epochs count as empty
__global__ void build_cas(const u32 *keys, int n, u64 *table, u32 mask, u32 epoch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 key = keys[i];
    u64 mine = ((u64)epoch << 32) | key;
    u32 s = (key * HMUL) >> 12;
    u64 cur = table[s];
    while (true) {
        if ((u32)(cur >> 32) != epoch) {
            u64 old = atomicCAS(&table[s], cur, mine);
            if (old == cur) break;
            cur = old;
        } else {
            if (cur == mine) break;
            s = (s + 1) & mask;
            cur = table[s];
        }
    }
}
__global__ void build_partitioned(const u32 *keys, const int *poff, u64 *table, u32 epoch) {
    __shared__ u32 seg[2048];
    int t = threadIdx.x, p = blockIdx.x;
    for (int j = t; j < 2048; j += blockDim.x) seg[j] = 0;
    __syncthreads();
    for (int i = poff[p] + t; i < poff[p + 1]; i += blockDim.x) {
        u32 key = keys[i];
        u32 s = ((key * HMUL) >> 12) & 2047;
        while (true) {
            u32 old = atomicCAS(&seg[s], 0u, key);
            if (old == 0 || old == key) break;
            s = (s + 1) & 2047;
        }
    }
    __syncthreads();
    for (int j = t; j < 2048; j += blockDim.x)
        table[p * 2048 + j] = seg[j] ? ((u64)epoch << 32) | seg[j] : 0ull;
}
static void group_hash_build() {
    const char *G = "hash_build";
    if (!wanted(G)) return;
    const int n = 1 << 19, slots = 1 << 20, parts = 512;
    std::vector<u32> keys(n), pkeys(n), ref;
    std::vector<int> poff(parts + 1, 0);
    for (int i = 0; i < n; i++) {
        keys[i] = mix32(i + 1);
        poff[((keys[i] * HMUL) >> 23) + 1]++;
    }
    for (int p = 0; p < parts; p++) poff[p + 1] += poff[p];
    std::vector<int> at(poff.begin(), poff.end() - 1);
    for (u32 k : keys) pkeys[at[(k * HMUL) >> 23]++] = k;
    ref = keys;
    std::sort(ref.begin(), ref.end());
    for (int p = 0; p < parts; p++)
        if (poff[p + 1] - poff[p] > 2000) {
            printf("{\"error\":\"a partition overflows\"}\n");
            exit(1);
        }
    u32 *dk = up(keys), *pk = up(pkeys), epoch = 0;
    int *po = up(poff);
    u64 *table = zeros<u64>(slots);
    auto prep = [&] { CK(cudaMemset(table, 0, slots * sizeof(u64))); };
    auto ok = [&] {
        std::vector<u64> h = down(table, slots);
        std::vector<u32> got;
        for (u64 s : h)
            if ((u32)(s >> 32) == epoch) got.push_back((u32)s);
        std::sort(got.begin(), got.end());
        return got == ref;
    };
    run_one(G, "global_cas", prep, [&] {
        ++epoch;
        build_cas<<<n / 256, 256>>>(dk, n, table, slots - 1, epoch);
    }, ok);
    run_one(G, "partitioned_shared", prep, [&] {
        ++epoch;
        build_partitioned<<<parts, 256>>>(pk, po, table, epoch);
    }, ok);
}

// ---------------------------------------------------------------- 11. hash table probe
__global__ void probe_linear(const u32 *q, int n, const u32 *tkeys, const u32 *tvals, u32 mask,
                             u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 key = q[i], s = (key * HMUL) >> 13, r = 0xffffffffu;
    while (true) {
        u32 k = tkeys[s];
        if (k == key) {
            r = tvals[s];
            break;
        }
        if (k == 0) break;
        s = (s + 1) & mask;
    }
    out[i] = r;
}
__global__ void probe_bucket4(const u32 *__restrict__ q, int n, const uint4 *__restrict__ bkeys,
                              const u32 *__restrict__ bvals, u32 mask, u32 *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 key = q[i], b = (key * HMUL) >> 15, r = 0xffffffffu;
    while (true) {
        uint4 k = bkeys[b];
        int hit = k.x == key ? 0 : k.y == key ? 1 : k.z == key ? 2 : k.w == key ? 3 : -1;
        if (hit >= 0) {
            r = bvals[b * 4 + hit];
            break;
        }
        if (k.w == 0) break;  // filled in order: a free last slot ends the search
        b = (b + 1) & mask;
    }
    out[i] = r;
}
static void group_hash_probe() {
    const char *G = "hash_probe";
    if (!wanted(G)) return;
    reseed(11);
    const int nk = 3 << 17, slots = 1 << 19, buckets = slots / 4, n = 1 << 20;
    std::vector<u32> tk(slots, 0), tv(slots, 0), bk(slots, 0), bv(slots, 0), q(n), ref(n);
    for (int i = 0; i < nk; i++) {
        u32 key = mix32(i + 1);
        u32 s = (key * HMUL) >> 13;
        while (tk[s]) s = (s + 1) & (slots - 1);
        tk[s] = key;
        tv[s] = i;
        u32 b = (key * HMUL) >> 15;
        while (bk[b * 4 + 3]) b = (b + 1) & (buckets - 1);
        int k = 0;
        while (bk[b * 4 + k]) k++;
        bk[b * 4 + k] = key;
        bv[b * 4 + k] = i;
    }
    for (int i = 0; i < n; i++) {
        u32 j = rnd32() % (2 * nk);  // half of them are in the table
        q[i] = mix32(j + 1);
        ref[i] = j < (u32)nk ? j : 0xffffffffu;
    }
    u32 *dq = up(q), *dtk = up(tk), *dtv = up(tv), *dbk = up(bk), *dbv = up(bv);
    u32 *out = zeros<u32>(n);
    auto prep = [&] { CK(cudaMemset(out, 0, (size_t)n * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "linear", prep,
            [&] { probe_linear<<<n / 256, 256>>>(dq, n, dtk, dtv, slots - 1, out); }, ok);
    run_one(G, "bucket4", prep, [&] {
        probe_bucket4<<<n / 256, 256>>>(dq, n, (const uint4 *)dbk, dbv, buckets - 1, out);
    }, ok);
}

// ---------------------------------------------------------------- 12. group by: sum and count, 1000 groups
__global__ void groupby_global(const u32 *key, const u32 *val, int n, u32 *sum, u32 *cnt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = key[i];
    atomicAdd(&sum[k], val[i]);
    atomicAdd(&cnt[k], 1u);
}
__global__ void groupby_shared(const u32 *key, const u32 *val, int n, u32 *sum, u32 *cnt) {
    __shared__ u32 ssum[1024], scnt[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) ssum[k] = scnt[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u32 k = key[i];
        atomicAdd(&ssum[k], val[i]);
        atomicAdd(&scnt[k], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        if (scnt[k]) {
            atomicAdd(&sum[k], ssum[k]);
            atomicAdd(&cnt[k], scnt[k]);
        }
}
static void group_groupby() {
    const char *G = "groupby";
    if (!wanted(G)) return;
    reseed(12);
    const int n = 1 << 20;
    std::vector<u32> key(n), val(n), ref(2048, 0);
    for (int i = 0; i < n; i++) {
        key[i] = rnd32() % 1000;
        val[i] = rnd32() % 10000;
        ref[key[i]] += val[i];
        ref[1024 + key[i]]++;
    }
    u32 *dk = up(key), *dv = up(val), *res = zeros<u32>(2048);
    auto prep = [&] { CK(cudaMemset(res, 0, 2048 * 4)); };
    auto ok = [&] { return same(res, ref); };
    run_one(G, "global_atomic", prep,
            [&] { groupby_global<<<n / 256, 256>>>(dk, dv, n, res, res + 1024); }, ok);
    run_one(G, "shared_table", prep,
            [&] { groupby_shared<<<132, 1024>>>(dk, dv, n, res, res + 1024); }, ok);
}

// ---------------------------------------------------------------- 13. semi-join, one row in ten matches
__device__ __forceinline__ bool in_chain(u32 key, const int *heads, const u32 *nkey,
                                         const int *nnext) {
    for (int p = heads[(key * HMUL) >> 12]; p >= 0; p = nnext[p])
        if (nkey[p] == key) return true;
    return false;
}
__host__ __device__ __forceinline__ u32 bloom_word(u32 key) { return (key * 0x85ebca6bu) >> 14; }
__host__ __device__ __forceinline__ u32 bloom_bits(u32 key) {
    u32 g = key * 0xc2b2ae35u;
    return (1u << (g >> 27)) | (1u << ((g >> 22) & 31)) | (1u << ((g >> 17) & 31));
}
__global__ void semijoin_chain(const u32 *q, int n, const int *heads, const u32 *nkey,
                               const int *nnext, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = i < n && in_chain(q[i], heads, nkey, nnext);
    u32 m = __ballot_sync(FULL, hit);
    if ((threadIdx.x & 31) == 0 && i < n) out[i >> 5] = m;
}
__global__ void semijoin_bloom(const u32 *q, int n, const u32 *filter, const int *heads,
                               const u32 *nkey, const int *nnext, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = false;
    if (i < n) {
        u32 key = q[i], need = bloom_bits(key);
        if ((filter[bloom_word(key)] & need) == need) hit = in_chain(key, heads, nkey, nnext);
    }
    u32 m = __ballot_sync(FULL, hit);
    if ((threadIdx.x & 31) == 0 && i < n) out[i >> 5] = m;
}
static void group_semijoin() {
    const char *G = "semijoin";
    if (!wanted(G)) return;
    reseed(13);
    const int nk = 1 << 20, n = 1 << 21;
    std::vector<int> heads(1 << 20, -1), nnext(nk);
    std::vector<u32> nkey(nk), filter(1 << 18, 0), q(n), ref(n / 32, 0);
    for (int i = 0; i < nk; i++) {
        u32 key = mix32(i + 1), h = (key * HMUL) >> 12;
        nkey[i] = key;
        nnext[i] = heads[h];
        heads[h] = i;
        filter[bloom_word(key)] |= bloom_bits(key);
    }
    for (int i = 0; i < n; i++) {
        bool in = rnd32() % 10 == 0;
        u32 j = rnd32() % nk;
        q[i] = mix32((in ? 0 : (1u + rnd32() % 16) * nk) + j + 1);
        if (in) ref[i >> 5] |= 1u << (i & 31);
    }
    u32 *dq = up(q), *dk = up(nkey), *df = up(filter), *out = zeros<u32>(n / 32);
    int *dh = up(heads), *dn = up(nnext);
    auto prep = [&] { CK(cudaMemset(out, 0, n / 8)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "chained", prep,
            [&] { semijoin_chain<<<n / 256, 256>>>(dq, n, dh, dk, dn, out); }, ok);
    run_one(G, "bloom_first", prep,
            [&] { semijoin_bloom<<<n / 256, 256>>>(dq, n, df, dh, dk, dn, out); }, ok);
}

// ---------------------------------------------------------------- 14. lower bound in a sorted array
__global__ void lb_binary(const u32 *a, int n, const u32 *q, int nq, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    u32 x = q[i];
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] < x) lo = mid + 1;
        else hi = mid;
    }
    out[i] = lo;
}
__global__ void lb_eytzinger(const u32 *__restrict__ tree, const int *__restrict__ rank, int n,
                             const u32 *__restrict__ q, int nq, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    u32 x = q[i];
    u32 k = 1;
    while (k <= (u32)n) k = 2 * k + (tree[k] < x);
    k >>= __ffs(~k);
    out[i] = rank[k];  // rank[0] is n
}
static int eytz(const std::vector<u32> &a, std::vector<u32> &t, std::vector<int> &r, int i,
                size_t k) {
    if (k < t.size()) {
        i = eytz(a, t, r, i, 2 * k);
        t[k] = a[i];
        r[k] = i++;
        i = eytz(a, t, r, i, 2 * k + 1);
    }
    return i;
}
static void group_lower_bound() {
    const char *G = "lower_bound";
    if (!wanted(G)) return;
    reseed(14);
    const int n = 1000000, nq = 3 << 17;
    std::vector<u32> a(n), t(n + 1, 0), q(nq);
    std::vector<int> r(n + 1, n), ref(nq);
    for (auto &v : a) v = rnd32();
    std::sort(a.begin(), a.end());
    eytz(a, t, r, 0, 1);
    for (int i = 0; i < nq; i++) {
        q[i] = i % 4 ? rnd32() : a[rnd32() % n];
        ref[i] = (int)(std::lower_bound(a.begin(), a.end(), q[i]) - a.begin());
    }
    u32 *da = up(a), *dt = up(t), *dq = up(q);
    int *dr = up(r), *out = zeros<int>(nq);
    auto prep = [&] { CK(cudaMemset(out, 0xff, nq * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "binary", prep, [&] { lb_binary<<<nq / 256, 256>>>(da, n, dq, nq, out); }, ok);
    run_one(G, "eytzinger", prep,
            [&] { lb_eytzinger<<<nq / 256, 256>>>(dt, dr, n, dq, nq, out); }, ok);
}

// ---------------------------------------------------------------- 15. run-length decoding
// the last run that starts at or before position x
__device__ __forceinline__ int find_run(const int *off, int runs, int x) {
    int lo = 0, hi = runs;  // off[0] is 0
    while (hi - lo > 1) {
        int mid = (lo + hi) >> 1;
        if (off[mid] <= x) lo = mid;
        else hi = mid;
    }
    return lo;
}
__global__ void rle_search(const int *off, const int *val, int runs, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = val[find_run(off, runs, i)];
}
__global__ void rle_tile(const int *off, const int *val, int runs, int4 *out) {
    __shared__ int4 mark4[256];
    __shared__ int wmax[8], ends[2];
    int *mark = (int *)mark4;
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, base = blockIdx.x * 1024;
    mark4[t] = make_int4(0, 0, 0, 0);
    if (t < 2) ends[t] = find_run(off, runs, base + t * 1023);
    __syncthreads();
    int r0 = ends[0], r1 = ends[1];
    if (t == 0) mark[0] = r0;
    for (int r = r0 + 1 + t; r <= r1; r += 256) mark[off[r] - base] = r;
    __syncthreads();
    int4 m = mark4[t];
    m.y = max(m.y, m.x);
    m.z = max(m.z, m.y);
    m.w = max(m.w, m.z);
    int inc = m.w;
    for (int o = 1; o < 32; o <<= 1) {
        int y = __shfl_up_sync(FULL, inc, o);
        if (lane >= o) inc = max(inc, y);
    }
    if (lane == 31) wmax[warp] = inc;
    int pre = __shfl_up_sync(FULL, inc, 1);
    if (lane == 0) pre = 0;
    __syncthreads();
    for (int w = 0; w < warp; w++) pre = max(pre, wmax[w]);
    out[blockIdx.x * 256 + t] = make_int4(val[max(m.x, pre)], val[max(m.y, pre)],
                                          val[max(m.z, pre)], val[max(m.w, pre)]);
}
static void group_rle() {
    const char *G = "rle_decode";
    if (!wanted(G)) return;
    reseed(15);
    const int n = 1 << 19;
    std::vector<int> off, val, ref(n);
    int at = 0;
    while (at < n) {
        int len = 1 + (rnd32() % 8 == 0 ? rnd32() % 120 : rnd32() % 12);
        len = std::min(len, n - at);
        off.push_back(at);
        val.push_back(rnd32() % 100000);
        for (int k = 0; k < len; k++) ref[at + k] = val.back();
        at += len;
    }
    int runs = (int)off.size();
    int *dof = up(off), *dv = up(val), *out = zeros<int>(n);
    auto prep = [&] { CK(cudaMemset(out, 0xff, n * 4)); };
    auto ok = [&] { return same(out, ref); };
    run_one(G, "search", prep, [&] { rle_search<<<n / 256, 256>>>(dof, dv, runs, out, n); }, ok);
    run_one(G, "tile_scan", prep,
            [&] { rle_tile<<<n / 1024, 256>>>(dof, dv, runs, (int4 *)out); }, ok);
}

// ---------------------------------------------------------------- 16. find an 8-byte pattern
__global__ void find_bytes(const char *text, int n, const char *pat, int len, u8 *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = 0;
    while (k < len && text[i + k] == pat[k]) k++;
    found[i] = k == len;
}
__global__ void find_words(const u32 *__restrict__ text, int n4, u32 p0, u32 p1,
                           uchar4 *__restrict__ found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    u32 a = text[i], b = text[i + 1], c = text[i + 2];
    uchar4 r;
    r.x = a == p0 && b == p1;
    r.y = __funnelshift_r(a, b, 8) == p0 && __funnelshift_r(b, c, 8) == p1;
    r.z = __funnelshift_r(a, b, 16) == p0 && __funnelshift_r(b, c, 16) == p1;
    r.w = __funnelshift_r(a, b, 24) == p0 && __funnelshift_r(b, c, 24) == p1;
    found[i] = r;
}
static void group_find() {
    const char *G = "string_find";
    if (!wanted(G)) return;
    reseed(16);
    const int n = 3 << 20;
    std::vector<char> text(n + 16, 0);
    for (int i = 0; i < n; i++) text[i] = "ACGTAAAC"[rnd32() % 8];
    std::vector<char> pat(text.begin() + 1000, text.begin() + 1008);
    std::vector<u8> ref(n);
    for (int i = 0; i < n; i++) ref[i] = !memcmp(&text[i], pat.data(), 8);
    u32 p[2];
    memcpy(p, pat.data(), 8);
    u32 p0 = p[0], p1 = p[1];
    char *dt = up(text), *dp = up(pat);
    u8 *found = zeros<u8>(n);
    auto prep = [&] { CK(cudaMemset(found, 0xff, n)); };
    auto ok = [&] { return same(found, ref); };
    run_one(G, "bytes", prep, [&] { find_bytes<<<n / 256, 256>>>(dt, n, dp, 8, found); }, ok);
    run_one(G, "words", prep, [&] {
        find_words<<<n / 1024, 256>>>((const u32 *)dt, n / 4, p0, p1, (uchar4 *)found);
    }, ok);
}

// ---------------------------------------------------------------- 17. CSR times a dense n x 32 matrix
__global__ void spmm_row_thread(const int *row, const int *col, const float *val, const float *b,
                                float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc[32];
#pragma unroll
    for (int k = 0; k < 32; k++) acc[k] = 0;
    for (int e = row[i]; e < row[i + 1]; e++) {
        float v = val[e];
        const float *x = b + col[e] * 32;
#pragma unroll
        for (int k = 0; k < 32; k++) acc[k] += v * x[k];
    }
#pragma unroll
    for (int k = 0; k < 32; k++) c[i * 32 + k] = acc[k];
}
__global__ void spmm_row_warp(const int *__restrict__ row, const int *__restrict__ col,
                              const float *__restrict__ val, const float *__restrict__ b,
                              float *__restrict__ c, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, k = threadIdx.x & 31;
    if (i >= n) return;
    float acc = 0;
    int end = row[i + 1];
    for (int e = row[i]; e < end; e++) acc += val[e] * b[col[e] * 32 + k];
    c[i * 32 + k] = acc;
}
static void group_spmm() {
    const char *G = "spmm";
    if (!wanted(G)) return;
    reseed(17);
    const int n = 1 << 14;
    std::vector<int> row(1, 0), col;
    std::vector<float> val, b(n * 32), ref(n * 32);
    for (int i = 0; i < n; i++) {
        int d = 4 + rnd32() % 25;
        for (int k = 0; k < d; k++) {
            col.push_back(rnd32() % n);
            val.push_back((float)(0.1 + rndf()));
        }
        row.push_back((int)col.size());
    }
    for (auto &v : b) v = (float)(0.1 + rndf());
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 32; k++) {
            double s = 0;
            for (int e = row[i]; e < row[i + 1]; e++) s += (double)val[e] * b[col[e] * 32 + k];
            ref[i * 32 + k] = (float)s;
        }
    int *dr = up(row), *dc = up(col);
    float *dv = up(val), *db = up(b), *out = zeros<float>(n * 32);
    auto prep = [&] { CK(cudaMemset(out, 0, n * 32 * 4)); };
    auto ok = [&] { return close_to(out, ref); };
    run_one(G, "row_thread", prep,
            [&] { spmm_row_thread<<<n / 128, 128>>>(dr, dc, dv, db, out, n); }, ok);
    run_one(G, "row_warp", prep,
            [&] { spmm_row_warp<<<n / 8, 256>>>(dr, dc, dv, db, out, n); }, ok);
}

int main(int argc, char **argv) {
    checking = argc > 1 && !strcmp(argv[1], "check");
    group_bfs();
    group_pagerank();
    group_triangles();
    group_hist();
    group_radix();
    group_tile_sort();
    group_merge();
    group_scan();
    group_compact();
    group_hash_build();
    group_hash_probe();
    group_groupby();
    group_semijoin();
    group_lower_bound();
    group_rle();
    group_find();
    group_spmm();
    return 0;
}
