// Graphs, hashing, sorting, scans and databases: 18 groups, 45 kernels. programs.h says how to run
// it; with the argument `check` each kernel runs once, beside a CPU.
#include "programs.h"
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <numeric>
namespace cg = cooperative_groups;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef std::vector<double> VD;
#define FULL  0xffffffffu
#define EMPTY 0xffffffffu

// ---------------------------------------------------------------- host helpers
struct Rng {
    u64 s;
    explicit Rng(u64 seed) : s(seed * 0x9E3779B97F4A7C15ull + 12345) {}
    u64 next() {
        u64 z = (s += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    u32 u() { return (u32)(next() >> 32); }
    u32 below(u32 n) { return (u32)(((u64)u() * n) >> 32); }
    float f() { return (u() >> 8) * (1.0f / 16777216.0f); }
};
static bool checking = false;
static std::string ref_of;
static VD ref;
template <class T> static T *up(const std::vector<T> &h, size_t pad = 0) {
    T *p;
    CK(cudaMalloc(&p, (h.size() + pad) * sizeof(T)));
    CK(cudaMemset(p, 0, (h.size() + pad) * sizeof(T)));
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
template <class T> static VD vd(const std::vector<T> &h) {
    return VD(h.begin(), h.end());
}
// A group's reference, on the CPU: only worked out when checking.
static void reference(const char *group, std::function<VD()> f) {
    if (!checking) return;
    ref_of = group;
    ref = f();
}
// launch: one kernel; reset: before a checked launch; result: after it.
static void variant(const char *group, const char *name, std::function<void()> launch,
                    std::function<void()> reset, std::function<VD()> result, double tol = 0) {
    if (!checking) {
        bench(group, name, launch);
        return;
    }
    reset();
    launch();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    VD r = result();
    bool ok = ref_of == group && r.size() == ref.size();
    for (size_t i = 0; ok && i < r.size(); i++)
        if (!(fabs(r[i] - ref[i]) <= tol * (1e-6 + fabs(ref[i])))) {
            ok = false;
            fprintf(stderr, "%s/%s at %zu: %g, not %g\n", group, name, i, r[i], ref[i]);
        }
    printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", group, name, ok ? "true" : "false");
    fflush(stdout);
}
static std::function<void()> fill(void *p, int v, size_t bytes) {
    return [=] { CK(cudaMemset(p, v, bytes)); };
}
__host__ __device__ __forceinline__ u32 mix(u32 h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}
__host__ __device__ __forceinline__ u32 mix2(u32 h) {
    h = (h ^ 61u) ^ (h >> 15);
    h *= 9u;
    h ^= h >> 4;
    h *= 0x27d4eb2du;
    return h ^ (h >> 15);
}

// ---------------------------------------------------------------- graphs
struct Graph {
    int n;
    std::vector<int> rp, ci;
};
// A mildly skewed R-MAT graph; symmetric, or each edge once towards the higher degree.
static Graph make_graph(int scale, int edges, bool oriented, u64 seed) {
    Rng r(seed);
    int n = 1 << scale;
    std::vector<int> perm(n);
    std::iota(perm.begin(), perm.end(), 0);
    for (int i = n - 1; i > 0; i--) std::swap(perm[i], perm[r.below(i + 1)]);
    std::vector<u64> e;
    for (int i = 0; i < edges; i++) {
        u32 a = 0, b = 0;
        for (int k = 0; k < scale; k++) {
            u32 x = r.below(10);
            a = a * 2 + (x >= 6);
            b = b * 2 + (x == 4 || x == 5 || x >= 8);
        }
        if (a == b) continue;
        a = perm[a], b = perm[b];
        e.push_back((u64)a << 32 | b);
        e.push_back((u64)b << 32 | a);
    }
    std::sort(e.begin(), e.end());
    e.erase(std::unique(e.begin(), e.end()), e.end());
    std::vector<int> deg(n, 0);
    for (u64 x : e) deg[x >> 32]++;
    Graph g;
    g.n = n;
    g.rp.assign(n + 1, 0);
    for (u64 x : e) {
        int a = (int)(x >> 32), b = (int)(u32)x;
        if (oriented && (deg[a] > deg[b] || (deg[a] == deg[b] && a > b))) continue;
        g.rp[a + 1]++;
        g.ci.push_back(b);
    }
    for (int i = 0; i < n; i++) g.rp[i + 1] += g.rp[i];
    return g;
}

// One level of a breadth-first search: marks the unvisited neighbours of the frontier.
__global__ void bfs_thread(const int *rp, const int *ci, const int *dist, const int *frontier,
                           int nf, int level, int *next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nf) return;
    int u = frontier[i];
    for (int e = rp[u]; e < rp[u + 1]; e++) {
        int v = ci[e];
        if (dist[v] < 0) next[v] = level + 1;
    }
}
__global__ void bfs_warp(const int *__restrict__ rp, const int *__restrict__ ci,
                         const int *__restrict__ dist, const int *__restrict__ frontier, int nf,
                         int level, int *next) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (w >= nf) return;
    int u = frontier[w], end = rp[u + 1];
    for (int e = rp[u] + lane; e < end; e += 32) {
        int v = ci[e];
        if (dist[v] < 0) next[v] = level + 1;
    }
}
__global__ void bfs_block(const int *rp, const int *ci, const int *dist, const int *frontier,
                          int level, int *next) {
    __shared__ int first, last;
    if (threadIdx.x == 0) {
        int u = frontier[blockIdx.x];
        first = rp[u];
        last = rp[u + 1];
    }
    __syncthreads();
    for (int e = first + threadIdx.x; e < last; e += blockDim.x) {
        int v = ci[e];
        if (dist[v] < 0) next[v] = level + 1;
    }
}
static void run_bfs() {
    const char *G = "bfs_step";
    if (!wanted(G)) return;
    Graph g = make_graph(18, 1 << 20, false, 1);
    Rng r(2);
    const int level = 4;
    std::vector<int> dist(g.n), fr;
    for (int v = 0; v < g.n; v++) {
        u32 x = r.below(16);
        dist[v] = x < 2 ? level : x < 6 ? (int)(x & 3) : -1;
        if (x < 2) fr.push_back(v);
    }
    // a queue's order: not sorted
    for (int i = (int)fr.size() - 1; i > 0; i--) std::swap(fr[i], fr[r.below(i + 1)]);
    int nf = (int)fr.size(), n = g.n;
    int *rp = up(g.rp), *ci = up(g.ci), *d = up(dist), *f = up(fr), *next = zeros<int>(n);
    reference(G, [&] {
        VD o(n, 0);
        for (int u : fr)
            for (int e = g.rp[u]; e < g.rp[u + 1]; e++)
                if (dist[g.ci[e]] < 0) o[g.ci[e]] = level + 1;
        return o;
    });
    auto reset = fill(next, 0, n * 4);
    auto res = [=] { return vd(down(next, n)); };
    variant(
        G, "thread", [=] { bfs_thread<<<(nf + 255) / 256, 256>>>(rp, ci, d, f, nf, level, next); },
        reset, res);
    variant(
        G, "warp", [=] { bfs_warp<<<(nf + 7) / 8, 256>>>(rp, ci, d, f, nf, level, next); }, reset,
        res);
    variant(
        G, "block", [=] { bfs_block<<<nf, 64>>>(rp, ci, d, f, level, next); }, reset, res);
}

// One PageRank step on a symmetric graph.
__global__ void pr_pull(const int *rp, const int *ci, const float *rank, float *out, int n,
                        float damp) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float s = 0;
    for (int e = rp[v]; e < rp[v + 1]; e++) {
        int u = ci[e];
        s += rank[u] / (float)(rp[u + 1] - rp[u]);
    }
    out[v] = (1.0f - damp) / n + damp * s;
}
__global__ void pr_push(const int *rp, const int *ci, const float *rank, float *out, int n,
                        float damp) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n) return;
    int b = rp[u], e = rp[u + 1];
    atomicAdd(&out[u], (1.0f - damp) / n);
    if (b == e) return;
    float c = damp * rank[u] / (float)(e - b);
    for (int i = b; i < e; i++) atomicAdd(&out[ci[i]], c);
}
// Eight lanes for a vertex, over contributions divided beforehand.
__global__ void pr_pull8(const int *__restrict__ rp, const int *__restrict__ ci,
                         const float *__restrict__ contrib, float *__restrict__ out, int n,
                         float damp) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = t >> 3, l = t & 7;
    float s = 0;
    if (v < n) {
        int e = rp[v + 1];
        for (int i = rp[v] + l; i < e; i += 8) s += contrib[ci[i]];
    }
    for (int o = 4; o; o >>= 1) s += __shfl_down_sync(FULL, s, o, 8);
    if (v < n && l == 0) out[v] = (1.0f - damp) / n + damp * s;
}
static void run_pagerank() {
    const char *G = "pagerank_step";
    if (!wanted(G)) return;
    Graph g = make_graph(17, 1 << 20, false, 3);
    Rng r(4);
    int n = g.n;
    std::vector<float> rank(n), con(n, 0.0f);
    for (int v = 0; v < n; v++) {
        rank[v] = (0.5f + r.f()) / n;
        int dg = g.rp[v + 1] - g.rp[v];
        if (dg) con[v] = rank[v] / dg;
    }
    int *rp = up(g.rp), *ci = up(g.ci);
    float *rk = up(rank), *co = up(con), *out = zeros<float>(n);
    reference(G, [&] {
        VD o(n);
        for (int v = 0; v < n; v++) {
            double s = 0;
            for (int e = g.rp[v]; e < g.rp[v + 1]; e++) s += con[g.ci[e]];
            o[v] = (0.15 / n + 0.85 * s) * n;
        }
        return o;
    });
    auto reset = fill(out, 0, n * 4);
    auto res = [=] {
        VD o = vd(down(out, n));
        for (auto &x : o) x *= n;
        return o;
    };
    variant(
        G, "pull_thread", [=] { pr_pull<<<n / 256, 256>>>(rp, ci, rk, out, n, 0.85f); }, reset, res,
        1e-3);
    variant(
        G, "push_atomic", [=] { pr_push<<<n / 256, 256>>>(rp, ci, rk, out, n, 0.85f); }, reset, res,
        1e-3);
    variant(
        G, "pull_8lanes", [=] { pr_pull8<<<n / 32, 256>>>(rp, ci, co, out, n, 0.85f); }, reset, res,
        1e-3);
}

// Triangles over each edge of an oriented graph with sorted lists.
__global__ void tri_merge(const int *rp, const int *ci, const int *src, int m, int *out) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int u = src[e], v = ci[e], i = rp[u], ie = rp[u + 1], j = rp[v], je = rp[v + 1], cnt = 0;
    while (i < ie && j < je) {
        int a = ci[i], b = ci[j];
        if (a == b) cnt++, i++, j++;
        else if (a < b) i++;
        else j++;
    }
    out[e] = cnt;
}
__global__ void tri_tile8(const int *__restrict__ rp, const int *__restrict__ ci,
                          const int *__restrict__ src, int m, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, e = t >> 3, l = t & 7, cnt = 0;
    if (e < m) {
        int u = src[e], v = ci[e];
        int a = rp[u], ae = rp[u + 1], b = rp[v], be = rp[v + 1];
        if (ae - a > be - b) {
            int x = a;
            a = b;
            b = x;
            x = ae;
            ae = be;
            be = x;
        }
        for (int i = a + l; i < ae; i += 8) {
            int key = ci[i], lo = b, hi = be;
            while (lo < hi) {
                int mid = (lo + hi) >> 1;
                if (ci[mid] < key) lo = mid + 1;
                else hi = mid;
            }
            if (lo < be && ci[lo] == key) cnt++;
        }
    }
    for (int o = 4; o; o >>= 1) cnt += __shfl_down_sync(FULL, cnt, o, 8);
    if (e < m && l == 0) out[e] = cnt;
}
static void run_triangles() {
    const char *G = "triangles";
    if (!wanted(G)) return;
    Graph g = make_graph(14, 1 << 17, true, 5);
    int m = (int)g.ci.size();
    std::vector<int> sv(m);
    for (int u = 0; u < g.n; u++)
        for (int e = g.rp[u]; e < g.rp[u + 1]; e++) sv[e] = u;
    int *rp = up(g.rp), *ci = up(g.ci), *src = up(sv), *out = zeros<int>(m);
    reference(G, [&] {
        VD o(m);
        std::vector<int> mark(g.n, -1);
        for (int u = 0; u < g.n; u++) {
            for (int e = g.rp[u]; e < g.rp[u + 1]; e++) mark[g.ci[e]] = u;
            for (int e = g.rp[u]; e < g.rp[u + 1]; e++) {
                int c = 0, v = g.ci[e];
                for (int k = g.rp[v]; k < g.rp[v + 1]; k++) c += mark[g.ci[k]] == u;
                o[e] = c;
            }
        }
        return o;
    });
    auto reset = fill(out, 0xEE, m * 4);
    auto res = [=] { return vd(down(out, m)); };
    variant(
        G, "merge_thread", [=] { tri_merge<<<(m + 127) / 128, 128>>>(rp, ci, src, m, out); }, reset,
        res);
    variant(
        G, "bsearch_8lanes", [=] { tri_tile8<<<(m + 31) / 32, 256>>>(rp, ci, src, m, out); }, reset,
        res);
}

// ---------------------------------------------------------------- hashing
// Inserts keys in a set. A slot holds epoch and key: those of other epochs count as empty, so that
// each launch (with its own epoch) fills an empty table.
__global__ void hb_linear(const u32 *keys, int n, u64 *table, u32 mask, u32 epoch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 key = keys[i], h = mix(key) & mask;
    u64 want = (u64)epoch << 32 | key;
    volatile u64 *vt = table;
    while (true) {
        u64 cur = vt[h];
        if ((u32)(cur >> 32) == epoch) {
            if ((u32)cur == key) return;
            h = (h + 1) & mask;
            continue;
        }
        if (atomicCAS(&table[h], cur, want) == cur) return;
    }
}
// Four lanes work together on buckets of four slots (one sector).
__global__ void hb_bucket4(const u32 *keys, int n, u64 *table, u32 bmask, u32 epoch) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 lane = tile.thread_rank();
    u32 mine = i < n ? keys[i] : EMPTY;
    volatile u64 *vt = table;
    for (int s = 0; s < 4; s++) {
        u32 key = tile.shfl(mine, s);
        if (key == EMPTY) continue;
        u64 want = (u64)epoch << 32 | key;
        u32 b = mix(key) & bmask;
        while (true) {
            u64 cur = vt[b * 4 + lane];
            bool used = (u32)(cur >> 32) == epoch;
            if (tile.any(used && (u32)cur == key)) break;
            u32 room = tile.ballot(!used);
            if (!room) {
                b = (b + 1) & bmask;
                continue;
            }
            u32 leader = __ffs(room) - 1;
            int done = 0;
            if (lane == leader) {
                u64 old = atomicCAS(&table[b * 4 + lane], cur, want);
                done = old == cur || old == want;
            }
            if (tile.shfl(done, leader)) break;
        }
    }
}
static void run_hash_build() {
    const char *G = "hash_build";
    if (!wanted(G)) return;
    Rng r(6);
    const int n = 1 << 19;
    const u32 slots = 1 << 20;
    std::vector<u32> k(n);
    for (int i = 0; i < n; i++) k[i] = (i & 7) == 7 ? k[r.below(i)] : (r.u() >> 1);
    u32 *keys = up(k);
    u64 *t1 = zeros<u64>(slots), *t2 = zeros<u64>(slots);
    static u32 e1 = 0, e2 = 0;
    reference(G, [&] {
        std::vector<u32> s = k;
        std::sort(s.begin(), s.end());
        s.erase(std::unique(s.begin(), s.end()), s.end());
        return vd(s);
    });
    auto content = [=](u64 *t, u32 *epoch) {
        VD o;
        for (u64 x : down(t, slots))
            if ((u32)(x >> 32) == *epoch) o.push_back((double)(u32)x);
        std::sort(o.begin(), o.end());
        return o;
    };
    auto none = [] {};
    variant(
        G, "linear_thread",
        [=] {
            u32 e = ++e1;
            hb_linear<<<n / 256, 256>>>(keys, n, t1, slots - 1, e);
        },
        none, [=] { return content(t1, &e1); });
    variant(
        G, "bucket_4lanes",
        [=] {
            u32 e = ++e2;
            hb_bucket4<<<n / 256, 256>>>(keys, n, t2, slots / 4 - 1, e);
        },
        none, [=] { return content(t2, &e2); });
}

__global__ void hp_linear(const u32 *q, int n, const uint2 *tab, u32 mask, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], h = mix(k) & mask;
    int r = -1;
    while (true) {
        uint2 t = tab[h];
        if (t.x == k) {
            r = (int)t.y;
            break;
        }
        if (t.x == EMPTY) break;
        h = (h + 1) & mask;
    }
    out[i] = r;
}
__global__ void hp_cuckoo(const u32 *__restrict__ q, int n, const uint2 *__restrict__ t1,
                          const uint2 *__restrict__ t2, u32 mask, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i];
    uint2 a = t1[mix(k) & mask];
    int r = -1;
    if (a.x == k) r = (int)a.y;
    else {
        uint2 b = t2[mix2(k) & mask];
        if (b.x == k) r = (int)b.y;
    }
    out[i] = r;
}
__global__ void hp_bucket4(const u32 *q, int n, const uint2 *tab, u32 bmask, int *out) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 lane = tile.thread_rank();
    u32 mine = i < n ? q[i] : 0;
    int res = -1;
    for (u32 s = 0; s < 4; s++) {
        u32 k = tile.shfl(mine, s), b = mix(k) & bmask;
        int r = -1;
        while (true) {
            uint2 t = tab[b * 4 + lane];
            u32 hit = tile.ballot(t.x == k);
            if (hit) {
                r = tile.shfl((int)t.y, __ffs(hit) - 1);
                break;
            }
            if (tile.any(t.x == EMPTY)) break;
            b = (b + 1) & bmask;
        }
        if (lane == s) res = r;
    }
    if (i < n) out[i] = res;
}
static void run_hash_probe() {
    const char *G = "hash_probe";
    if (!wanted(G)) return;
    Rng r(7);
    const int n = 1 << 19, nk = 400000;
    const u32 lin = 1 << 19, cs = 1 << 19, bs = 1 << 20;
    const uint2 none = make_uint2(EMPTY, 0);
    std::vector<uint2> tl(lin, none), c1(cs, none), c2(cs, none), tb(bs, none);
    std::vector<u32> keys;
    std::vector<int> val;
    while ((int)keys.size() < nk) {
        u32 k = r.u() >> 1, h = mix(k) & (lin - 1);
        while (tl[h].x != EMPTY && tl[h].x != k) h = (h + 1) & (lin - 1);
        if (tl[h].x == k) continue;
        tl[h] = make_uint2(k, (u32)keys.size());
        uint2 x = tl[h];
        bool placed = false;
        for (int kick = 0; kick < 2000 && !placed; kick++) {
            uint2 &s = kick & 1 ? c2[mix2(x.x) & (cs - 1)] : c1[mix(x.x) & (cs - 1)];
            std::swap(s, x);
            placed = x.x == EMPTY;
        }
        if (!placed) {
            printf("{\"error\":\"cuckoo table full\"}\n");
            exit(1);
        }
        u32 b = mix(k) & (bs / 4 - 1);
        for (u32 at = b * 4;; at = (at + 1) & (bs - 1))
            if (tb[at].x == EMPTY) {
                tb[at] = tl[h];
                break;
            }
        keys.push_back(k);
    }
    std::vector<u32> qv(n);
    for (auto &x : qv) x = r.below(2) ? keys[r.below(nk)] : (r.u() >> 1);
    u32 *q = up(qv);
    uint2 *l = up(tl), *a = up(c1), *b = up(c2), *bk = up(tb);
    int *out = zeros<int>(n);
    reference(G, [&] {
        std::vector<std::pair<u32, int>> s;
        for (int i = 0; i < nk; i++) s.push_back({keys[i], i});
        std::sort(s.begin(), s.end());
        VD o;
        for (u32 x : qv) {
            auto it = std::lower_bound(s.begin(), s.end(), std::make_pair(x, 0));
            o.push_back(it != s.end() && it->first == x ? it->second : -1);
        }
        return o;
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "linear", [=] { hp_linear<<<n / 256, 256>>>(q, n, l, lin - 1, out); }, reset, res);
    variant(
        G, "cuckoo", [=] { hp_cuckoo<<<n / 256, 256>>>(q, n, a, b, cs - 1, out); }, reset, res);
    variant(
        G, "bucket_4lanes", [=] { hp_bucket4<<<n / 256, 256>>>(q, n, bk, bs / 4 - 1, out); }, reset,
        res);
}

// A join of few matches: straight at the table, or behind a Bloom filter.
template <bool BLOOM>
__global__ void join_probe(const u32 *__restrict__ q, int n, const u32 *__restrict__ bits,
                           u32 bmask, const u32 *__restrict__ tkey, const u32 *__restrict__ tval,
                           u32 mask, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], h = mix(k);
    bool maybe = true;
    if (BLOOM) {
        u32 step = mix2(k) | 1, p = h;
        for (int j = 0; j < 3 && maybe; j++, p += step)
            maybe = bits[(p & bmask) >> 5] >> (p & 31) & 1;
    }
    int r = -1;
    if (maybe) {
        for (h &= mask;; h = (h + 1) & mask) {
            u32 t = tkey[h];
            if (t == k) {
                r = (int)tval[h];
                break;
            }
            if (t == EMPTY) break;
        }
    }
    out[i] = r;
}
static void run_bloom() {
    const char *G = "bloom_join";
    if (!wanted(G)) return;
    Rng r(8);
    const int n = 1 << 20, nk = 1400000;
    const u32 slots = 1 << 21, nbits = 1 << 24;
    std::vector<u32> tk(slots, EMPTY), tv(slots, 0), bits(nbits / 32, 0), keys;
    while ((int)keys.size() < nk) {
        u32 k = r.u() >> 1, h = mix(k) & (slots - 1);
        while (tk[h] != EMPTY && tk[h] != k) h = (h + 1) & (slots - 1);
        if (tk[h] == k) continue;
        tk[h] = k;
        tv[h] = (u32)keys.size();
        u32 p = mix(k), step = mix2(k) | 1;
        for (int j = 0; j < 3; j++, p += step) bits[(p & (nbits - 1)) >> 5] |= 1u << (p & 31);
        keys.push_back(k);
    }
    std::vector<u32> qv(n);
    for (auto &x : qv) x = r.below(10) == 0 ? keys[r.below(nk)] : (r.u() >> 1);
    u32 *q = up(qv), *bt = up(bits), *dk = up(tk), *dv = up(tv);
    int *out = zeros<int>(n);
    reference(G, [&] {
        VD o;
        for (u32 k : qv) {
            u32 h = mix(k) & (slots - 1);
            while (tk[h] != EMPTY && tk[h] != k) h = (h + 1) & (slots - 1);
            o.push_back(tk[h] == k ? (double)tv[h] : -1);
        }
        return o;
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "table_only",
        [=] { join_probe<false><<<n / 256, 256>>>(q, n, bt, nbits - 1, dk, dv, slots - 1, out); },
        reset, res);
    variant(
        G, "bloom_first",
        [=] { join_probe<true><<<n / 256, 256>>>(q, n, bt, nbits - 1, dk, dv, slots - 1, out); },
        reset, res);
}

// ---------------------------------------------------------------- sorting
// Radix sort: counts of 8-bit digits for each tile of 4096 keys.
__global__ void rh_block(const u32 *keys, u32 *out, int shift) {
    __shared__ u32 h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    const u32 *k = keys + (size_t)blockIdx.x * 4096;
    for (int i = threadIdx.x; i < 4096; i += 256) atomicAdd(&h[k[i] >> shift & 255], 1u);
    __syncthreads();
    out[threadIdx.x * gridDim.x + blockIdx.x] = h[threadIdx.x];
}
__global__ void rh_warp(const uint4 *__restrict__ keys, u32 *__restrict__ out, int shift) {
    __shared__ u32 h[8][256];
    for (int w = 0; w < 8; w++) h[w][threadIdx.x] = 0;
    __syncthreads();
    const uint4 *k = keys + (size_t)blockIdx.x * 1024;
    u32 *mine = h[threadIdx.x >> 5];
    uint4 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = k[i * 256 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        atomicAdd(&mine[v[i].x >> shift & 255], 1u);
        atomicAdd(&mine[v[i].y >> shift & 255], 1u);
        atomicAdd(&mine[v[i].z >> shift & 255], 1u);
        atomicAdd(&mine[v[i].w >> shift & 255], 1u);
    }
    __syncthreads();
    u32 s = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) s += h[w][threadIdx.x];
    out[threadIdx.x * gridDim.x + blockIdx.x] = s;
}
static void run_radix_hist() {
    const char *G = "radix_hist";
    if (!wanted(G)) return;
    Rng r(9);
    const int n = 1 << 22, nb = n / 4096;
    std::vector<u32> k(n);
    for (auto &x : k) {
        float f = r.f();
        x = (r.u() & ~0xff00u) | (u32)(f * f * 256) << 8;
    }
    u32 *keys = up(k), *out = zeros<u32>(256 * nb);
    reference(G, [&] {
        VD o(256 * nb, 0);
        for (int i = 0; i < n; i++) o[(k[i] >> 8 & 255) * nb + i / 4096]++;
        return o;
    });
    auto reset = fill(out, 0xEE, 256 * nb * 4);
    auto res = [=] { return vd(down(out, 256 * nb)); };
    variant(
        G, "block_hist", [=] { rh_block<<<nb, 256>>>(keys, out, 8); }, reset, res);
    variant(
        G, "warp_hist", [=] { rh_warp<<<nb, 256>>>((const uint4 *)keys, out, 8); }, reset, res);
}

// One stable scatter pass over 4-bit digits, tiles of 1024 pairs.
template <bool STAGED>
__global__ void rs_scatter(const u32 *__restrict__ keys, const u32 *__restrict__ vals,
                           const u32 *__restrict__ off, u32 *__restrict__ okey,
                           u32 *__restrict__ oval, int shift) {
    __shared__ u32 row[32][17], dstart[16], goff[16];
    __shared__ u32 sk[STAGED ? 1024 : 1], sv[STAGED ? 1024 : 1];
    int t = threadIdx.x, w = t >> 5, lane = t & 31;
    u32 base = blockIdx.x * 1024;
    for (int i = t; i < 32 * 17; i += 256) (&row[0][0])[i] = 0;
    __syncthreads();
    u32 k[4], v[4], rk[4];
#pragma unroll
    for (int it = 0; it < 4; it++) {
        k[it] = keys[base + it * 256 + t];
        v[it] = vals[base + it * 256 + t];
    }
#pragma unroll
    for (int it = 0; it < 4; it++) {
        u32 d = k[it] >> shift & 15, m = __match_any_sync(FULL, d);
        rk[it] = __popc(m & ((1u << lane) - 1));
        if (rk[it] == 0) row[it * 8 + w][d] = __popc(m);
    }
    __syncthreads();
    if (t < 16) {
        u32 s = 0;
        for (int r = 0; r < 32; r++) {
            u32 c = row[r][t];
            row[r][t] = s;
            s += c;
        }
        dstart[t] = s;
        goff[t] = off[t * gridDim.x + blockIdx.x];
    }
    __syncthreads();
    if (!STAGED) {
#pragma unroll
        for (int it = 0; it < 4; it++) {
            u32 d = k[it] >> shift & 15, p = goff[d] + row[it * 8 + w][d] + rk[it];
            okey[p] = k[it];
            oval[p] = v[it];
        }
    } else {
        if (t == 0) {
            u32 s = 0;
            for (int d = 0; d < 16; d++) {
                u32 c = dstart[d];
                dstart[d] = s;
                s += c;
            }
        }
        __syncthreads();
#pragma unroll
        for (int it = 0; it < 4; it++) {
            u32 d = k[it] >> shift & 15, p = dstart[d] + row[it * 8 + w][d] + rk[it];
            sk[p] = k[it];
            sv[p] = v[it];
        }
        __syncthreads();
#pragma unroll
        for (int it = 0; it < 4; it++) {
            u32 i = it * 256 + t, key = sk[i], d = key >> shift & 15, p = goff[d] + i - dstart[d];
            okey[p] = key;
            oval[p] = sv[i];
        }
    }
}
static void run_radix_scatter() {
    const char *G = "radix_scatter";
    if (!wanted(G)) return;
    Rng r(10);
    const int n = 1 << 20, nb = n / 1024, shift = 4;
    std::vector<u32> k(n), v(n), off(16 * nb, 0);
    for (int i = 0; i < n; i++) k[i] = r.u(), v[i] = i, off[(k[i] >> shift & 15) * nb + i / 1024]++;
    u32 s = 0;
    for (auto &x : off) {
        u32 c = x;
        x = s;
        s += c;
    }
    u32 *keys = up(k), *vals = up(v), *o = up(off), *out = zeros<u32>(2 * n);
    reference(G, [&] {
        std::vector<u32> ord(v);
        std::stable_sort(ord.begin(), ord.end(),
                         [&](u32 a, u32 b) { return (k[a] >> shift & 15) < (k[b] >> shift & 15); });
        VD x;
        for (u32 i : ord) x.push_back(k[i]);
        for (u32 i : ord) x.push_back(i);
        return x;
    });
    auto reset = fill(out, 0xEE, 8 * n);
    auto res = [=] { return vd(down(out, 2 * n)); };
    variant(
        G, "direct", [=] { rs_scatter<false><<<nb, 256>>>(keys, vals, o, out, out + n, shift); },
        reset, res);
    variant(
        G, "staged", [=] { rs_scatter<true><<<nb, 256>>>(keys, vals, o, out, out + n, shift); },
        reset, res);
}

// Bitonic sort of tiles of 1024.
__global__ void bitonic_plain(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x;
    size_t g = (size_t)blockIdx.x * 1024 + t;
    s[t] = in[g];
    __syncthreads();
    for (int k = 2; k <= 1024; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            int p = t ^ j;
            if (p > t) {
                int a = s[t], b = s[p];
                if ((t & k) == 0 ? a > b : a < b) {
                    s[t] = b;
                    s[p] = a;
                }
            }
            __syncthreads();
        }
    out[g] = s[t];
}
__global__ void bitonic_shuffle(const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int s[2][1024];
    int t = threadIdx.x, buf = 0;
    size_t g = (size_t)blockIdx.x * 1024 + t;
    int v = in[g];
    for (int k = 2; k <= 1024; k <<= 1) {
        bool up = (t & k) == 0;
        int j = k >> 1;
        // Two buffers in turn: the barrier of the next exchange keeps readers and writers apart.
        for (; j >= 32; j >>= 1) {
            s[buf][t] = v;
            __syncthreads();
            int o = s[buf][t ^ j];
            v = ((t & j) == 0) == up ? min(v, o) : max(v, o);
            buf ^= 1;
        }
        for (; j > 0; j >>= 1) {
            int o = __shfl_xor_sync(FULL, v, j);
            v = ((t & j) == 0) == up ? min(v, o) : max(v, o);
        }
    }
    out[g] = v;
}
static void run_bitonic() {
    const char *G = "bitonic_tile";
    if (!wanted(G)) return;
    Rng r(11);
    const int n = 1 << 17;
    std::vector<int> h(n);
    for (auto &x : h) x = (int)(r.u() >> 4) - (1 << 27);
    int *in = up(h), *out = zeros<int>(n);
    reference(G, [&] {
        std::vector<int> s = h;
        for (int i = 0; i < n; i += 1024) std::sort(s.begin() + i, s.begin() + i + 1024);
        return vd(s);
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "shared", [=] { bitonic_plain<<<n / 1024, 1024>>>(in, out); }, reset, res);
    variant(
        G, "shuffle", [=] { bitonic_shuffle<<<n / 1024, 1024>>>(in, out); }, reset, res);
}

// Merges two sorted arrays.
__global__ void merge_rank(const int *a, int na, const int *b, int nb, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na + nb) return;
    bool fromA = i < na;
    int self = fromA ? i : i - na, x = fromA ? a[self] : b[self];
    const int *o = fromA ? b : a;
    int lo = 0, hi = fromA ? nb : na;
    while (lo < hi) {
        int mid = (lo + hi) >> 1, y = o[mid];
        if (fromA ? y < x : y <= x) lo = mid + 1;
        else hi = mid;
    }
    out[self + lo] = x;
}
__device__ __forceinline__ int merge_path(const int *a, int na, const int *b, int nb, int diag) {
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
__global__ void merge_tile(const int *__restrict__ a, int na, const int *__restrict__ b, int nb,
                           int *__restrict__ out) {
    __shared__ int s[1024], cut[2];
    int t = threadIdx.x, d0 = blockIdx.x * 1024, d1 = min(d0 + 1024, na + nb);
    if (t < 2) cut[t] = merge_path(a, na, b, nb, t ? d1 : d0);
    __syncthreads();
    int a0 = cut[0], la = cut[1] - a0, b0 = d0 - a0, n = d1 - d0, lb = n - la;
    for (int i = t; i < n; i += 128) s[i] = i < la ? a[a0 + i] : b[b0 + i - la];
    __syncthreads();
    const int *sa = s, *sb = s + la;
    int d = min(t * 8, n), i = merge_path(sa, la, sb, lb, d), j = d - i, r[8];
#pragma unroll
    for (int x = 0; x < 8; x++) {
        bool takeA = i < la && (j >= lb || sa[i] <= sb[j]);
        r[x] = takeA ? sa[i++] : (j < lb ? sb[j++] : 0);
    }
    __syncthreads();
#pragma unroll
    for (int x = 0; x < 8; x++) s[t * 8 + x] = r[x];
    __syncthreads();
    for (int x = t; x < n; x += 128) out[d0 + x] = s[x];
}
static void run_merge() {
    const char *G = "merge_sorted";
    if (!wanted(G)) return;
    Rng r(12);
    const int na = 1 << 18, nb = 1 << 18, n = na + nb;
    std::vector<int> ha(na), hb(nb);
    for (auto &x : ha) x = r.below(1 << 20);
    for (auto &x : hb) x = r.below(1 << 20);
    std::sort(ha.begin(), ha.end());
    std::sort(hb.begin(), hb.end());
    int *a = up(ha), *b = up(hb), *out = zeros<int>(n);
    reference(G, [&] {
        std::vector<int> o(n);
        std::merge(ha.begin(), ha.end(), hb.begin(), hb.end(), o.begin());
        return vd(o);
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "rank_bsearch", [=] { merge_rank<<<n / 256, 256>>>(a, na, b, nb, out); }, reset, res);
    variant(
        G, "merge_path_tile", [=] { merge_tile<<<n / 1024, 128>>>(a, na, b, nb, out); }, reset,
        res);
}

// ---------------------------------------------------------------- scans
// Segmented inclusive sums within tiles of 256.
__global__ void seg_shared(const int *in, const unsigned char *head, int *out) {
    __shared__ int s[256], f[256];
    int t = threadIdx.x;
    size_t g = (size_t)blockIdx.x * 256 + t;
    s[t] = in[g];
    f[t] = head[g];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        int v = s[t], h = f[t];
        if (t >= d && !h) {
            v += s[t - d];
            h = f[t - d];
        }
        __syncthreads();
        s[t] = v;
        f[t] = h;
        __syncthreads();
    }
    out[g] = s[t];
}
__global__ void seg_shuffle(const int *__restrict__ in, const unsigned char *__restrict__ head,
                            int *__restrict__ out) {
    __shared__ int ws[8], wf[8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    size_t g = (size_t)blockIdx.x * 256 + t;
    int v = in[g];
    u32 m = __ballot_sync(FULL, head[g]), h = m & (FULL >> (31 - lane));
    int start = h ? 31 - __clz(h) : 0;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_up_sync(FULL, v, d);
        if (lane - d >= start) v += o;
    }
    if (lane == 31) {
        ws[w] = v;
        wf[w] = m != 0;
    }
    __syncthreads();
    if (!h) {
        int c = 0;
        for (int i = 0; i < w; i++) c = wf[i] ? ws[i] : c + ws[i];
        v += c;
    }
    out[g] = v;
}
static void run_seg_scan() {
    const char *G = "seg_scan";
    if (!wanted(G)) return;
    Rng r(13);
    const int n = 1 << 20;
    std::vector<int> h(n);
    std::vector<unsigned char> f(n);
    for (int i = 0; i < n; i++) h[i] = r.below(1000), f[i] = r.below(20) == 0;
    int *in = up(h), *out = zeros<int>(n);
    unsigned char *hd = up(f);
    reference(G, [&] {
        VD o(n);
        for (int i = 0; i < n; i++) o[i] = h[i] + (i % 256 == 0 || f[i] ? 0 : o[i - 1]);
        return o;
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "hillis_steele", [=] { seg_shared<<<n / 256, 256>>>(in, hd, out); }, reset, res);
    variant(
        G, "shuffle", [=] { seg_shuffle<<<n / 256, 256>>>(in, hd, out); }, reset, res);
}

// Exclusive sums within tiles of 1024, and the tiles' totals.
__global__ void scan_hs(const int *in, int *out, int *total) {
    __shared__ int s[2][1024];
    int t = threadIdx.x, p = 0;
    size_t g = (size_t)blockIdx.x * 1024 + t;
    int x = in[g];
    s[0][t] = x;
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
        s[p ^ 1][t] = t >= d ? s[p][t] + s[p][t - d] : s[p][t];
        p ^= 1;
        __syncthreads();
    }
    out[g] = s[p][t] - x;
    if (t == 1023) total[blockIdx.x] = s[p][t];
}
__global__ void scan_blelloch(const int *in, int *out, int *total) {
    __shared__ int s[1024];
    int t = threadIdx.x;
    size_t g = (size_t)blockIdx.x * 1024;
    s[2 * t] = in[g + 2 * t];
    s[2 * t + 1] = in[g + 2 * t + 1];
    int off = 1;
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1;
            s[b] += s[a];
        }
        off <<= 1;
    }
    __syncthreads();
    if (t == 0) {
        total[blockIdx.x] = s[1023];
        s[1023] = 0;
    }
    for (int d = 1; d < 1024; d <<= 1) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1, x = s[a];
            s[a] = s[b];
            s[b] += x;
        }
    }
    __syncthreads();
    out[g + 2 * t] = s[2 * t];
    out[g + 2 * t + 1] = s[2 * t + 1];
}
__global__ void scan_vec4(const int4 *__restrict__ in, int4 *__restrict__ out,
                          int *__restrict__ total) {
    __shared__ int ws[8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    size_t g = (size_t)blockIdx.x * 256 + t;
    int4 x = in[g];
    int sum = x.x + x.y + x.z + x.w, v = sum;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += o;
    }
    if (lane == 31) ws[w] = v;
    __syncthreads();
    int c = v - sum;
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (i < w) c += ws[i];
    out[g] = make_int4(c, c + x.x, c + x.x + x.y, c + x.x + x.y + x.z);
    if (t == 255) total[blockIdx.x] = c + sum;
}
static void run_block_scan() {
    const char *G = "block_scan";
    if (!wanted(G)) return;
    Rng r(14);
    const int n = 1 << 21, nb = n / 1024;
    std::vector<int> h(n);
    for (auto &x : h) x = r.below(1000);
    int *in = up(h), *out = zeros<int>(n + nb), *tot = out + n;
    reference(G, [&] {
        VD o(n + nb);
        for (int b = 0; b < nb; b++) {
            int s = 0;
            for (int i = 0; i < 1024; i++) o[b * 1024 + i] = s, s += h[b * 1024 + i];
            o[n + b] = s;
        }
        return o;
    });
    auto reset = fill(out, 0xEE, (n + nb) * 4);
    auto res = [=] { return vd(down(out, n + nb)); };
    variant(
        G, "hillis_steele", [=] { scan_hs<<<nb, 1024>>>(in, out, tot); }, reset, res);
    variant(
        G, "blelloch", [=] { scan_blelloch<<<nb, 512>>>(in, out, tot); }, reset, res);
    variant(
        G, "shuffle_vec4", [=] { scan_vec4<<<nb, 256>>>((const int4 *)in, (int4 *)out, tot); },
        reset, res);
}

// Stream compaction in one kernel. ctr: [0] next place, [1] blocks done, [2] the count, left by the
// last block, which sets [0] back to 0 ([1] wraps by itself).
__device__ __forceinline__ void compact_end(u32 *ctr) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicInc(&ctr[1], gridDim.x - 1) == gridDim.x - 1) ctr[2] = atomicExch(&ctr[0], 0u);
    }
}
__global__ void compact_thread(const u32 *in, u32 *out, int n, u32 limit, u32 *ctr) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < limit) out[atomicAdd(&ctr[0], 1u)] = in[i];
    compact_end(ctr);
}
__global__ void compact_warp(const u32 *in, u32 *out, int n, u32 limit, u32 *ctr) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    u32 x = i < n ? in[i] : FULL;
    u32 m = __ballot_sync(FULL, x < limit), at = 0;
    if (lane == 0 && m) at = atomicAdd(&ctr[0], (u32)__popc(m));
    at = __shfl_sync(FULL, at, 0);
    if (x < limit) out[at + __popc(m & ((1u << lane) - 1))] = x;
    compact_end(ctr);
}
// 2048 elements for each block, one atomic; n is a multiple of 2048.
__global__ void compact_block(const u32 *__restrict__ in, u32 *__restrict__ out, u32 limit,
                              u32 *ctr) {
    __shared__ u32 row[64], base;
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    size_t g = (size_t)blockIdx.x * 2048 + t;
    u32 x[8], m[8];
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = in[g + i * 256];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        m[i] = __ballot_sync(FULL, x[i] < limit);
        if (lane == 0) row[i * 8 + w] = __popc(m[i]);
    }
    __syncthreads();
    if (w == 0) {
        u32 a = row[2 * lane], b = row[2 * lane + 1], v = a + b;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            u32 o = __shfl_up_sync(FULL, v, d);
            if (lane >= d) v += o;
        }
        row[2 * lane] = v - a - b;
        row[2 * lane + 1] = v - b;
        if (lane == 31) base = atomicAdd(&ctr[0], v);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (x[i] < limit) out[base + row[i * 8 + w] + __popc(m[i] & ((1u << lane) - 1))] = x[i];
    compact_end(ctr);
}
static void run_compact() {
    const char *G = "compact";
    if (!wanted(G)) return;
    Rng r(15);
    const int n = 1 << 20;
    const u32 limit = 1300000000u; // about 30 %
    std::vector<u32> h(n);
    for (auto &x : h) x = r.u() & ~1u;
    u32 *in = up(h), *out = zeros<u32>(n), *ctr = zeros<u32>(4);
    reference(G, [&] {
        VD o;
        for (u32 x : h)
            if (x < limit) o.push_back(x);
        std::sort(o.begin(), o.end());
        return o;
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] {
        u32 c = std::min(down(ctr, 3)[2], (u32)n);
        VD o = vd(down(out, c));
        std::sort(o.begin(), o.end());
        return o;
    };
    variant(
        G, "thread_atomic", [=] { compact_thread<<<n / 256, 256>>>(in, out, n, limit, ctr); },
        reset, res);
    variant(
        G, "warp_ballot", [=] { compact_warp<<<n / 256, 256>>>(in, out, n, limit, ctr); }, reset,
        res);
    variant(
        G, "block_scan", [=] { compact_block<<<n / 2048, 256>>>(in, out, limit, ctr); }, reset,
        res);
}

// Run-length encoding within tiles of 512: values, lengths and the number of runs of each tile.
__global__ void rle_scan(const int *in, int *val, int *len, int *cnt) {
    __shared__ int x[512], s[2][512], start[513];
    int t = threadIdx.x, p = 0;
    size_t g = (size_t)blockIdx.x * 512;
    x[t] = in[g + t];
    __syncthreads();
    int head = t == 0 || x[t] != x[t - 1];
    s[0][t] = head;
    __syncthreads();
    for (int d = 1; d < 512; d <<= 1) {
        s[p ^ 1][t] = t >= d ? s[p][t] + s[p][t - d] : s[p][t];
        p ^= 1;
        __syncthreads();
    }
    int runs = s[p][511];
    if (head) start[s[p][t] - 1] = t;
    if (t == 0) start[runs] = 512;
    __syncthreads();
    if (t < runs) {
        val[g + t] = x[start[t]];
        len[g + t] = start[t + 1] - start[t];
    }
    if (t == 0) cnt[blockIdx.x] = runs;
}
__global__ void rle_ballot(const int *__restrict__ in, int *__restrict__ val, int *__restrict__ len,
                           int *__restrict__ cnt) {
    __shared__ u32 mask[16];
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    size_t g = (size_t)blockIdx.x * 512;
    int x = in[g + t], before = t ? in[g + t - 1] : 0;
    bool head = t == 0 || x != before;
    u32 m = __ballot_sync(FULL, head);
    if (lane == 0) mask[w] = m;
    __syncthreads();
    int pos = __popc(m & ((1u << lane) - 1));
    for (int i = 0; i < w; i++) pos += __popc(mask[i]);
    if (head) {
        u32 rest = lane == 31 ? 0 : m >> (lane + 1);
        int end = 512;
        if (rest) end = t + __ffs(rest);
        else
            for (int i = w + 1; i < 16; i++)
                if (mask[i]) {
                    end = i * 32 + __ffs(mask[i]) - 1;
                    break;
                }
        val[g + pos] = x;
        len[g + pos] = end - t;
    }
    if (t == 511) cnt[blockIdx.x] = pos + head;
}
static void run_rle() {
    const char *G = "rle_tile";
    if (!wanted(G)) return;
    Rng r(16);
    const int n = 1 << 20, nb = n / 512;
    std::vector<int> h(n);
    for (int i = 0, v = 0, left = 0; i < n; i++, left--) {
        if (left <= 0) {
            left = 1 + r.below(12);
            if (r.below(200) == 0) left += 300;
            v = (v + 1 + r.below(99)) % 1000;
        }
        h[i] = v;
    }
    int *in = up(h), *out = zeros<int>(2 * n + nb);
    reference(G, [&] {
        VD o;
        for (int b = 0; b < nb; b++)
            for (int i = b * 512, j; i < b * 512 + 512; i = j) {
                for (j = i; j < b * 512 + 512 && h[j] == h[i]; j++) {
                }
                o.push_back(b);
                o.push_back(h[i]);
                o.push_back(j - i);
            }
        return o;
    });
    auto reset = fill(out, 0xEE, (2 * n + nb) * 4);
    auto res = [=] {
        auto d = down(out, 2 * n + nb);
        VD o;
        for (int b = 0; b < nb; b++)
            for (int i = 0; i < d[2 * n + b] && i < 512; i++) {
                o.push_back(b);
                o.push_back(d[b * 512 + i]);
                o.push_back(d[n + b * 512 + i]);
            }
        return o;
    };
    variant(
        G, "scan", [=] { rle_scan<<<nb, 512>>>(in, out, out + n, out + 2 * n); }, reset, res);
    variant(
        G, "ballot", [=] { rle_ballot<<<nb, 512>>>(in, out, out + n, out + 2 * n); }, reset, res);
}

// ---------------------------------------------------------------- databases
#define NG 1024
// SELECT key, SUM(value), COUNT(*) GROUP BY key, on skewed keys; agg: the sums, then the counts.
__global__ void gb_global(const unsigned short *key, const u32 *val, int n, u32 *agg) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = key[i];
    atomicAdd(&agg[k], val[i]);
    atomicAdd(&agg[NG + k], 1u);
}
template <int REP>
__global__ void gb_shared(const unsigned short *__restrict__ key, const u32 *__restrict__ val,
                          int n, u32 *agg) {
    __shared__ u32 s[REP][2 * NG];
    for (int i = threadIdx.x; i < REP * 2 * NG; i += blockDim.x) (&s[0][0])[i] = 0;
    __syncthreads();
    u32 *mine = s[threadIdx.x % REP];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
        atomicAdd(&mine[k], val[i]);
        atomicAdd(&mine[NG + k], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * NG; i += blockDim.x) {
        u32 x = 0;
#pragma unroll
        for (int r = 0; r < REP; r++) x += s[r][i];
        if (x) atomicAdd(&agg[i], x);
    }
}
static void run_groupby() {
    const char *G = "group_by";
    if (!wanted(G)) return;
    Rng r(17);
    const int n = 1 << 20;
    std::vector<unsigned short> k(n);
    std::vector<u32> v(n);
    for (int i = 0; i < n; i++) {
        float f = r.f();
        k[i] = (unsigned short)(f * f * NG);
        v[i] = r.below(100);
    }
    unsigned short *key = up(k);
    u32 *val = up(v), *agg = zeros<u32>(2 * NG);
    reference(G, [&] {
        VD o(2 * NG, 0);
        for (int i = 0; i < n; i++) o[k[i]] += v[i], o[NG + k[i]]++;
        return o;
    });
    auto reset = fill(agg, 0, 2 * NG * 4);
    auto res = [=] { return vd(down(agg, 2 * NG)); };
    variant(
        G, "global_atomics", [=] { gb_global<<<n / 256, 256>>>(key, val, n, agg); }, reset, res);
    variant(
        G, "shared", [=] { gb_shared<1><<<264, 512>>>(key, val, n, agg); }, reset, res);
    variant(
        G, "shared_4copies", [=] { gb_shared<4><<<264, 512>>>(key, val, n, agg); }, reset, res);
}

// Marks where a pattern of 12 letters begins in a DNA text.
__global__ void str_naive(const char *text, int n, const char *pat, int plen, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = 0;
    while (j < plen && text[i + j] == pat[j]) j++;
    out[i] = j == plen;
}
// Eight places for each thread, by words; the text has 16 more bytes.
__global__ void str_words(const uint2 *__restrict__ text, int n8, u32 p0, u32 p1, u32 p2,
                          uint2 *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    uint2 a = text[i], b = text[i + 1], c = text[i + 2];
    u32 w[5] = {a.x, a.y, b.x, b.y, c.x}, r[2] = {0, 0};
#pragma unroll
    for (int q = 0; q < 8; q++) {
        const int k = q >> 2, s = (q & 3) * 8;
        u32 x0 = __funnelshift_r(w[k], w[k + 1], s), x1 = __funnelshift_r(w[k + 1], w[k + 2], s),
            x2 = s ? __funnelshift_r(w[k + 2], w[k + 3 < 5 ? k + 3 : 4], s) : w[k + 2];
        if (((x0 ^ p0) | (x1 ^ p1) | (x2 ^ p2)) == 0) r[k] |= 1u << s;
    }
    out[i] = make_uint2(r[0], r[1]);
}
static void run_strings() {
    const char *G = "string_search";
    if (!wanted(G)) return;
    Rng r(18);
    const int n = 1 << 22;
    const std::string p = "GATTACAGATTC";
    std::vector<char> t(n + 64, 0);
    for (int i = 0; i < n; i++) t[i] = "ACGT"[r.below(4)];
    for (int i = 0; i < 3000; i++) memcpy(&t[r.below(n - 12)], p.data(), 12);
    memcpy(&t[n - 12], p.data(), 12);
    std::vector<char> pv(p.begin(), p.end());
    char *text = up(t), *pat = up(pv);
    unsigned char *out = zeros<unsigned char>(n);
    u32 w[3];
    memcpy(w, p.data(), 12);
    u32 p0 = w[0], p1 = w[1], p2 = w[2];
    reference(G, [&] {
        VD o(n);
        for (int i = 0; i < n; i++) o[i] = memcmp(&t[i], p.data(), 12) == 0;
        return o;
    });
    auto reset = fill(out, 0xEE, n);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "naive", [=] { str_naive<<<n / 256, 256>>>(text, n, pat, 12, out); }, reset, res);
    variant(
        G, "words",
        [=] {
            str_words<<<n / 8 / 256, 256>>>((const uint2 *)text, n / 8, p0, p1, p2, (uint2 *)out);
        },
        reset, res);
}

// A join by searching sorted keys: the row of each match, or -1.
__global__ void bs_plain(const int *keys, int m, const int *q, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = q[i], lo = 0, hi = m;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (keys[mid] < x) lo = mid + 1;
        else hi = mid;
    }
    out[i] = lo < m && keys[lo] == x ? lo : -1;
}
// Every 1024th key in shared memory, the rest of the search in global memory.
__global__ void bs_sampled(const int *__restrict__ keys, int m, const int *__restrict__ q, int n,
                           int *__restrict__ out) {
    __shared__ int top[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) top[i] = keys[i * 1024];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = q[i], a = 0;
#pragma unroll
        for (int s = 512; s; s >>= 1)
            if (top[a + s] <= x) a += s;
        // the last key <= x is in this stretch of 1024, if any
        int p = a * 1024;
#pragma unroll
        for (int s = 512; s; s >>= 1)
            if (keys[p + s] <= x) p += s;
        out[i] = keys[p] == x ? p : -1;
    }
}
// The keys in breadth-first order of the search tree, from index 1; m = 2^k - 1.
__global__ void bs_eytzinger(const int *__restrict__ tree, const int *__restrict__ row, int m,
                             const int *__restrict__ q, int n, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = q[i];
    u32 j = 1;
    while (j <= (u32)m) j = 2 * j + (tree[j] < x);
    j >>= __ffs(~j);
    out[i] = j && tree[j] == x ? row[j] : -1;
}
static void run_bsearch() {
    const char *G = "search_join";
    if (!wanted(G)) return;
    Rng r(19);
    const int m1 = 1 << 20, m = m1 - 1, n = 1 << 19;
    std::vector<int> k(m1);
    for (int i = 0, v = 5; i < m1; i++) k[i] = v, v += 1 + r.below(6);
    k[m] = 0x7fffffff; // fills the last place: never asked for
    std::vector<int> tree(m1, 0), row(m1, 0), qv(n);
    std::function<int(int, int)> put = [&](int at, int next) {
        if (at > m) return next;
        next = put(2 * at, next);
        tree[at] = k[next];
        row[at] = next++;
        return put(2 * at + 1, next);
    };
    put(1, 0);
    for (auto &x : qv) x = r.below(3) ? k[r.below(m)] : (int)r.below(k[m - 1] + 20);
    int *keys = up(k), *tr = up(tree), *rw = up(row), *q = up(qv), *out = zeros<int>(n);
    reference(G, [&] {
        VD o;
        for (int x : qv) {
            auto it = std::lower_bound(k.begin(), k.begin() + m, x);
            o.push_back(it != k.begin() + m && *it == x ? it - k.begin() : -1);
        }
        return o;
    });
    auto reset = fill(out, 0xEE, n * 4);
    auto res = [=] { return vd(down(out, n)); };
    variant(
        G, "binary", [=] { bs_plain<<<n / 256, 256>>>(keys, m, q, n, out); }, reset, res);
    variant(
        G, "sampled_shared", [=] { bs_sampled<<<528, 256>>>(keys, m1, q, n, out); }, reset, res);
    variant(
        G, "eytzinger", [=] { bs_eytzinger<<<n / 256, 256>>>(tr, rw, m, q, n, out); }, reset, res);
}

// ---------------------------------------------------------------- sparse matrices
__global__ void spmv_scalar(const int *rp, const int *ci, const float *va, const float *x, float *y,
                            int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int e = rp[r]; e < rp[r + 1]; e++) s += va[e] * x[ci[e]];
    y[r] = s;
}
__global__ void spmv_warp(const int *__restrict__ rp, const int *__restrict__ ci,
                          const float *__restrict__ va, const float *__restrict__ x,
                          float *__restrict__ y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= rows) return;
    float s = 0;
    int end = rp[r + 1];
    for (int e = rp[r] + lane; e < end; e += 32) s += va[e] * x[ci[e]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(FULL, s, o);
    if (lane == 0) y[r] = s;
}
__global__ void spmv_ell(const int *__restrict__ ci, const float *__restrict__ va,
                         const float *__restrict__ x, float *__restrict__ y, int rows, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = 0; j < width; j++) {
        int c = ci[j * rows + r];
        if (c >= 0) s += va[j * rows + r] * x[c];
    }
    y[r] = s;
}
__global__ void spmv_coo(const int *ri, const int *ci, const float *va, const float *x, float *y,
                         int nnz) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < nnz) atomicAdd(&y[ri[e]], va[e] * x[ci[e]]);
}
static void run_spmv() {
    const char *G = "spmv";
    if (!wanted(G)) return;
    Rng r(20);
    const int rows = 1 << 16, width = 48;
    std::vector<int> rp(rows + 1, 0), ci, ri;
    std::vector<float> va, xv(rows);
    std::vector<int> ec((size_t)rows * width, -1);
    std::vector<float> ev((size_t)rows * width, 0);
    for (int i = 0; i < rows; i++) {
        xv[i] = 0.5f + r.f();
        int k = r.below(30) == 0 ? 48 : 8 + r.below(29);
        std::vector<int> c;
        for (int j = 0; j < k; j++)
            c.push_back(j & 1 ? r.below(rows) : (i + (int)r.below(512) + rows - 256) % rows);
        std::sort(c.begin(), c.end());
        for (int j = 0; j < k; j++) {
            float v = 0.1f + r.f();
            ci.push_back(c[j]);
            ri.push_back(i);
            va.push_back(v);
            ec[(size_t)j * rows + i] = c[j];
            ev[(size_t)j * rows + i] = v;
        }
        rp[i + 1] = (int)ci.size();
    }
    int nnz = (int)ci.size();
    int *drp = up(rp), *dci = up(ci), *dri = up(ri), *dec = up(ec);
    float *dva = up(va), *dev_ = up(ev), *x = up(xv), *y = zeros<float>(rows);
    reference(G, [&] {
        VD o(rows, 0);
        for (int e = 0; e < nnz; e++) o[ri[e]] += (double)va[e] * xv[ci[e]];
        return o;
    });
    auto reset = fill(y, 0, rows * 4);
    auto res = [=] { return vd(down(y, rows)); };
    variant(
        G, "csr_thread", [=] { spmv_scalar<<<rows / 256, 256>>>(drp, dci, dva, x, y, rows); },
        reset, res, 1e-4);
    variant(
        G, "csr_warp", [=] { spmv_warp<<<rows / 8, 256>>>(drp, dci, dva, x, y, rows); }, reset, res,
        1e-4);
    variant(
        G, "ell", [=] { spmv_ell<<<rows / 128, 128>>>(dec, dev_, x, y, rows, width); }, reset, res,
        1e-4);
    variant(
        G, "coo_atomic", [=] { spmv_coo<<<(nnz + 255) / 256, 256>>>(dri, dci, dva, x, y, nnz); },
        reset, res, 1e-4);
}

int main(int argc, char **argv) {
    checking = argc > 1 && !strcmp(argv[1], "check");
    run_bfs();
    run_pagerank();
    run_triangles();
    run_hash_build();
    run_hash_probe();
    run_bloom();
    run_radix_hist();
    run_radix_scatter();
    run_bitonic();
    run_merge();
    run_seg_scan();
    run_block_scan();
    run_compact();
    run_rle();
    run_groupby();
    run_strings();
    run_bsearch();
    run_spmv();
    return 0;
}
