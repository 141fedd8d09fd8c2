// Algorithms on irregular data: 16 groups, 40 variants.
//   lookups          bench of all the variants
//   lookups check    each variant once, against a CPU reference
#include "programs.h"
#include <cmath>
#include <cstdint>
typedef unsigned int u32;
typedef unsigned long long u64;

// ------------------------------------------------------------------ host helpers
static bool checking = false;
struct Rng {
    u64 s;
    explicit Rng(u64 seed) : s(seed) {}
    u64 next() {
        u64 z = (s += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    u32 below(u32 n) { return (u32)(((next() >> 32) * (u64)n) >> 32); }
    double uni() { return (double)((next() >> 11) + 1) / 9007199254740992.0; } // (0,1]
};
template <class T> static T *up(const std::vector<T> &h, size_t pad = 0) {
    T *p;
    CK(cudaMalloc(&p, (h.size() + pad) * sizeof(T)));
    if (pad) CK(cudaMemset(p, 0, (h.size() + pad) * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *room(size_t n, int byte = 0) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, byte, n * sizeof(T)));
    return p;
}
typedef std::vector<u32> Words;
static void go(const char *g, const char *v, std::function<void()> f, void *out, int init,
               const Words &ref, std::function<void(Words &)> post = nullptr, size_t words = 0) {
    if (!checking) {
        bench(g, v, f);
        return;
    }
    if (!words) words = ref.size();
    CK(cudaMemset(out, init, words * 4));
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    Words got(words);
    CK(cudaMemcpy(got.data(), out, words * 4, cudaMemcpyDeviceToHost));
    if (post) post(got);
    printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", g, v, got == ref ? "true" : "false");
    fflush(stdout);
}
static bool skip(const char *g) { return !wanted(g); }
__host__ __device__ static inline u32 fmix(u32 k) {
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    k ^= k >> 16;
    return k;
}
__host__ __device__ static inline u32 hash2(u32 k) {
    k *= 0x9E3779B1u;
    k ^= k >> 15;
    k *= 0x2c1b3c6du;
    k ^= k >> 12;
    return k;
}
// last i in [0, n) with a[i] <= x; a[0] <= x
__device__ static inline int last_le(const int *a, int n, int x) {
    int lo = 0, hi = n;
    while (hi - lo > 1) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= x) lo = mid;
        else hi = mid;
    }
    return lo;
}

// ------------------------------------------------------------------ 1 bfs_push
__global__ void bfs_thread(const int *__restrict__ front, int nf, const int *__restrict__ row,
                           const int *__restrict__ col, const int *__restrict__ level, int *out,
                           int next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nf) return;
    int u = front[i];
    for (int e = row[u]; e < row[u + 1]; e++) {
        int v = col[e];
        if (level[v] < 0) out[v] = next;
    }
}
__global__ void bfs_warp(const int *__restrict__ front, int nf, const int *__restrict__ row,
                         const int *__restrict__ col, const int *__restrict__ level, int *out,
                         int next) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (w >= nf) return;
    int u = front[w], end = row[u + 1];
    for (int e = row[u] + lane; e < end; e += 32) {
        int v = col[e];
        if (level[v] < 0) out[v] = next;
    }
}
// pre: exclusive prefix sums of the frontier's degrees (all at least 1), nf + 1 of them
__global__ void bfs_balanced(const int *__restrict__ front, int nf, const int *__restrict__ pre,
                             const int *__restrict__ row, const int *__restrict__ col,
                             const int *__restrict__ level, int *out, int next) {
    __shared__ int s_pre[1024], s_base[1024], s_lo, s_hi;
    int total = pre[nf];
    int e0 = blockIdx.x * 1024, e1 = min(e0 + 1024, total);
    if (threadIdx.x == 0) s_lo = last_le(pre, nf, e0);
    if (threadIdx.x == 32) s_hi = last_le(pre, nf, e1 - 1);
    __syncthreads();
    int lo = s_lo, n = s_hi - lo + 1;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        int p = pre[lo + j];
        s_pre[j] = p;
        s_base[j] = row[front[lo + j]] - p;
    }
    __syncthreads();
    for (int e = e0 + threadIdx.x; e < e1; e += blockDim.x) {
        int k = last_le(s_pre, n, e);
        int v = col[s_base[k] + e];
        if (level[v] < 0) out[v] = next;
    }
}
static void g_bfs() {
    const char *g = "bfs_push";
    if (skip(g)) return;
    Rng r(101);
    const int V = 1 << 17, NF = 1 << 15;
    std::vector<int> row(V + 1), col, level(V, -1), front, pre(1, 0);
    for (int v = 0; v < V; v++) {
        int d = std::min(384, (int)(4.0 / pow(r.uni(), 0.7)));
        row[v + 1] = row[v] + d;
        for (int k = 0; k < d; k++) {
            double x = r.uni();
            u32 t = (r.next() & 1) ? r.below(V) : (u32)(x * x * (V - 1));
            col.push_back((int)((t * 40503u) & (V - 1)));
        }
    }
    std::vector<int> perm(V);
    for (int i = 0; i < V; i++) perm[i] = i;
    for (int i = V - 1; i > 0; i--) std::swap(perm[i], perm[r.below(i + 1)]);
    for (int i = 0; i < NF; i++) {
        front.push_back(perm[i]);
        level[perm[i]] = 2;
        pre.push_back(pre.back() + row[perm[i] + 1] - row[perm[i]]);
    }
    for (int i = NF; i < NF + V / 8; i++) level[perm[i]] = 1;
    Words ref(V, 0);
    for (int u : front)
        for (int e = row[u]; e < row[u + 1]; e++)
            if (level[col[e]] < 0) ref[col[e]] = 3;
    int *dr = up(row), *dc = up(col), *dl = up(level), *df = up(front), *dp = up(pre);
    int *o = room<int>(V);
    int blocks = (pre.back() + 1023) / 1024;
    go(g, "thread_per_vertex", [=] { bfs_thread<<<NF / 256, 256>>>(df, NF, dr, dc, dl, o, 3); }, o,
       0, ref);
    go(g, "warp_per_vertex", [=] { bfs_warp<<<NF / 8, 256>>>(df, NF, dr, dc, dl, o, 3); }, o, 0,
       ref);
    go(g, "edge_balanced",
       [=] { bfs_balanced<<<blocks, 256>>>(df, NF, dp, dr, dc, dl, o, 3); }, o, 0, ref);
}

// ------------------------------------------------------------------ 2 cc_hook
__global__ void cc_atomic(const int *__restrict__ src, const int *__restrict__ dst, int ne,
                          const u32 *__restrict__ comp, u32 *parent) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= ne) return;
    u32 a = comp[src[e]], b = comp[dst[e]];
    if (a != b) atomicMin(&parent[max(a, b)], min(a, b));
}
__global__ void cc_cached(const int *__restrict__ src, const int *__restrict__ dst, int ne,
                          const u32 *__restrict__ comp, u32 *parent) {
    __shared__ u32 tag[1024], low[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tag[i] = low[i] = 0xffffffffu;
    __syncthreads();
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < ne; e += gridDim.x * blockDim.x) {
        u32 a = comp[src[e]], b = comp[dst[e]];
        if (a == b) continue;
        u32 hi = max(a, b), lo = min(a, b), s = (hi * 2654435761u) >> 22;
        u32 t = *(volatile u32 *)&tag[s];
        if (t == 0xffffffffu) t = atomicCAS(&tag[s], 0xffffffffu, hi);
        if (t == 0xffffffffu || t == hi) {
            if (*(volatile u32 *)&low[s] > lo) atomicMin(&low[s], lo);
        } else atomicMin(&parent[hi], lo);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        if (tag[i] != 0xffffffffu) atomicMin(&parent[tag[i]], low[i]);
}
static void g_cc() {
    const char *g = "cc_hook";
    if (skip(g)) return;
    Rng r(202);
    const int V = 1 << 17, E = 1 << 20;
    std::vector<int> src(E), dst(E);
    std::vector<u32> comp(V);
    for (auto &c : comp) c = (u32)((u32)pow(16384.0, r.uni()) * 7919u) & 16383u;
    for (int i = 0; i < E; i++) src[i] = r.below(V), dst[i] = r.below(V);
    Words ref(16384, 0xffffffffu);
    for (int i = 0; i < E; i++) {
        u32 a = comp[src[i]], b = comp[dst[i]];
        if (a != b) ref[std::max(a, b)] = std::min(ref[std::max(a, b)], std::min(a, b));
    }
    int *s = up(src), *d = up(dst);
    u32 *c = up(comp), *o = room<u32>(16384, 0xff);
    go(g, "atomic_min", [=] { cc_atomic<<<E / 256, 256>>>(s, d, E, c, o); }, o, 0xff, ref);
    go(g, "block_cache", [=] { cc_cached<<<264, 512>>>(s, d, E, c, o); }, o, 0xff, ref);
}

// ------------------------------------------------------------------ 3 hash_lookup
__global__ void hash_linear_soa(const u32 *__restrict__ q, int n, const u32 *__restrict__ keys,
                                const u32 *__restrict__ vals, u32 mask, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], s = fmix(k) & mask, res = 0xffffffffu;
    while (true) {
        u32 t = keys[s];
        if (t == k) {
            res = vals[s];
            break;
        }
        if (t == 0) break;
        s = (s + 1) & mask;
    }
    out[i] = res;
}
__global__ void hash_linear_aos(const u32 *__restrict__ q, int n, const uint2 *__restrict__ tab,
                                u32 mask, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], s = fmix(k) & mask, res = 0xffffffffu;
    while (true) {
        uint2 t = tab[s];
        if (t.x == k) {
            res = t.y;
            break;
        }
        if (t.x == 0) break;
        s = (s + 1) & mask;
    }
    out[i] = res;
}
__global__ void hash_double(const u32 *__restrict__ q, int n, const uint2 *__restrict__ tab,
                            u32 mask, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], s = fmix(k) & mask, step = hash2(k) | 1u, res = 0xffffffffu;
    while (true) {
        uint2 t = tab[s];
        if (t.x == k) {
            res = t.y;
            break;
        }
        if (t.x == 0) break;
        s = (s + step) & mask;
    }
    out[i] = res;
}
__device__ static inline int in_bucket(uint4 b, u32 k) {
    return b.x == k ? 0 : b.y == k ? 1 : b.z == k ? 2 : b.w == k ? 3 : -1;
}
__global__ void hash_cuckoo(const u32 *__restrict__ q, int n, const uint4 *__restrict__ keys,
                            const u32 *__restrict__ vals, u32 bmask, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], b = fmix(k) & bmask, res = 0xffffffffu;
    int j = in_bucket(keys[b], k);
    if (j < 0) {
        b = hash2(k) & bmask;
        j = in_bucket(keys[b], k);
    }
    if (j >= 0) res = vals[b * 4 + j];
    out[i] = res;
}
static void g_hash() {
    const char *g = "hash_lookup";
    if (skip(g)) return;
    Rng r(303);
    const u32 S = 1 << 20, mask = S - 1, bmask = S / 4 - 1;
    const int NK = (int)(S * 0.7), Q = 1 << 20;
    std::vector<u32> keys(S, 0), vals(S, 0), ck(S, 0), cv(S, 0), q(Q);
    std::vector<uint2> lin(S, make_uint2(0, 0)), dbl(S, make_uint2(0, 0));
    for (int i = 0; i < NK; i++) {
        u32 k = fmix(i + 1), v = i * 3 + 1, s = fmix(k) & mask;
        while (keys[s]) s = (s + 1) & mask;
        keys[s] = k, vals[s] = v, lin[s] = make_uint2(k, v);
        s = fmix(k) & mask;
        while (dbl[s].x) s = (s + (hash2(k) | 1u)) & mask;
        dbl[s] = make_uint2(k, v);
        bool done = false;
        for (int kick = 0; kick < 2000 && !done; kick++) {
            u32 bs[2] = {fmix(k) & bmask, hash2(k) & bmask};
            for (int c = 0; c < 8 && !done; c++) {
                u32 p = bs[c >> 2] * 4 + (c & 3);
                if (!ck[p]) ck[p] = k, cv[p] = v, done = true;
            }
            if (!done) {
                u32 p = bs[r.next() & 1] * 4 + (u32)(r.next() & 3);
                std::swap(ck[p], k), std::swap(cv[p], v);
            }
        }
        if (!done) {
            printf("{\"error\":\"cuckoo full\"}\n");
            exit(1);
        }
    }
    Words ref(Q);
    for (int i = 0; i < Q; i++) {
        u32 t = r.below(NK);
        if (r.next() & 1) q[i] = fmix(t + 1), ref[i] = t * 3 + 1;
        else q[i] = fmix(t + (1u << 24)), ref[i] = 0xffffffffu;
    }
    u32 *dk = up(keys), *dv = up(vals), *dck = up(ck), *dcv = up(cv), *dq = up(q);
    uint2 *dl = up(lin), *dd = up(dbl);
    u32 *o = room<u32>(Q);
    go(g, "linear_soa", [=] { hash_linear_soa<<<Q / 256, 256>>>(dq, Q, dk, dv, mask, o); }, o, 0,
       ref);
    go(g, "linear_aos", [=] { hash_linear_aos<<<Q / 256, 256>>>(dq, Q, dl, mask, o); }, o, 0, ref);
    go(g, "double_hash", [=] { hash_double<<<Q / 256, 256>>>(dq, Q, dd, mask, o); }, o, 0, ref);
    go(g, "cuckoo_bucket",
       [=] { hash_cuckoo<<<Q / 256, 256>>>(dq, Q, (const uint4 *)dck, dcv, bmask, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 4 radix_scatter
// one stable pass of 8 bits; tiles of 2048 keys, offs[tile][digit] given
template <bool STAGED>
__global__ void radix_scatter(const u32 *__restrict__ in, const u32 *__restrict__ offs, int shift,
                              u32 *__restrict__ out) {
    __shared__ u32 whist[8][256];
    __shared__ u32 goff[256];
    __shared__ u32 sk[STAGED ? 2048 : 1];
    __shared__ u32 wsum[8];
    int tid = threadIdx.x, w = tid >> 5, lane = tid & 31;
    for (int i = tid; i < 2048; i += 256) ((u32 *)whist)[i] = 0;
    u32 key[8], rank[8];
    const u32 *src = in + (size_t)blockIdx.x * 2048 + w * 256 + lane;
#pragma unroll
    for (int r = 0; r < 8; r++) key[r] = src[r * 32];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; r++) {
        u32 d = (key[r] >> shift) & 255u;
        u32 m = __match_any_sync(0xffffffffu, d);
        int leader = __ffs(m) - 1;
        u32 base = 0;
        if (lane == leader) {
            base = whist[w][d];
            whist[w][d] = base + __popc(m);
        }
        base = __shfl_sync(0xffffffffu, base, leader);
        rank[r] = base + __popc(m & ((1u << lane) - 1u));
        __syncwarp();
    }
    __syncthreads();
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        u32 t = whist[k][tid];
        whist[k][tid] = sum;
        sum += t;
    }
    u32 go = offs[blockIdx.x * 256 + tid];
    if (!STAGED) {
        goff[tid] = go;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; r++) {
            u32 d = (key[r] >> shift) & 255u;
            out[goff[d] + whist[w][d] + rank[r]] = key[r];
        }
    } else {
        u32 x = sum;
        for (int o = 1; o < 32; o <<= 1) {
            u32 y = __shfl_up_sync(0xffffffffu, x, o);
            if (lane >= o) x += y;
        }
        if (lane == 31) wsum[w] = x;
        __syncthreads();
        u32 start = x - sum;
        for (int k = 0; k < w; k++) start += wsum[k];
        goff[tid] = go - start;
#pragma unroll
        for (int k = 0; k < 8; k++) whist[k][tid] += start;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; r++) {
            u32 d = (key[r] >> shift) & 255u;
            sk[whist[w][d] + rank[r]] = key[r];
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; r++) {
            u32 p = r * 256 + tid, k = sk[p];
            out[goff[(k >> shift) & 255u] + p] = k;
        }
    }
}
static void g_radix() {
    const char *g = "radix_scatter";
    if (skip(g)) return;
    Rng r(404);
    const int N = 1 << 20, T = N / 2048, shift = 8;
    std::vector<u32> in(N), offs(T * 256, 0);
    for (auto &k : in) k = (u32)r.next();
    for (int i = 0; i < N; i++) offs[(i / 2048) * 256 + ((in[i] >> shift) & 255)]++;
    u32 s = 0;
    for (int d = 0; d < 256; d++)
        for (int t = 0; t < T; t++) {
            u32 c = offs[t * 256 + d];
            offs[t * 256 + d] = s;
            s += c;
        }
    Words ref(in);
    std::stable_sort(ref.begin(), ref.end(),
                     [=](u32 a, u32 b) { return ((a >> shift) & 255) < ((b >> shift) & 255); });
    u32 *di = up(in), *df = up(offs), *o = room<u32>(N);
    go(g, "direct", [=] { radix_scatter<false><<<T, 256>>>(di, df, shift, o); }, o, 0, ref);
    go(g, "staged", [=] { radix_scatter<true><<<T, 256>>>(di, df, shift, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 5 merge
__global__ void merge_rank(const u32 *__restrict__ a, int na, const u32 *__restrict__ b, int nb,
                           u32 *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na) {
        u32 x = a[i];
        int lo = 0, hi = nb;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (b[mid] < x) lo = mid + 1;
            else hi = mid;
        }
        out[i + lo] = x;
    } else if (i < na + nb) {
        int j = i - na;
        u32 x = b[j];
        int lo = 0, hi = na;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (a[mid] <= x) lo = mid + 1;
            else hi = mid;
        }
        out[j + lo] = x;
    }
}
__device__ static inline int diagonal(const u32 *a, int na, const u32 *b, int nb, int d) {
    int lo = max(0, d - nb), hi = min(d, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[d - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
__global__ void merge_thread(const u32 *__restrict__ a, int na, const u32 *__restrict__ b, int nb,
                             u32 *__restrict__ out) {
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (d >= na + nb) return;
    int i = diagonal(a, na, b, nb, d), j = d - i;
    int end = min(d + 8, na + nb);
    for (; d < end; d++) {
        bool ta = j >= nb || (i < na && a[i] <= b[j]);
        out[d] = ta ? a[i++] : b[j++];
    }
}
// na + nb is a multiple of 2048
__global__ void merge_block(const u32 *__restrict__ a, int na, const u32 *__restrict__ b, int nb,
                            u32 *__restrict__ out) {
    __shared__ u32 s[2048];
    __shared__ int si[2];
    int tid = threadIdx.x, d0 = blockIdx.x * 2048;
    if (tid == 0) si[0] = diagonal(a, na, b, nb, d0);
    if (tid == 32) si[1] = diagonal(a, na, b, nb, d0 + 2048);
    __syncthreads();
    int i0 = si[0], j0 = d0 - i0, ca = si[1] - i0, cb = 2048 - ca;
    for (int k = tid; k < 2048; k += 256) s[k] = k < ca ? a[i0 + k] : b[j0 + k - ca];
    __syncthreads();
    const u32 *sa = s, *sb = s + ca;
    int i = diagonal(sa, ca, sb, cb, tid * 8), j = tid * 8 - i;
    u32 r[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        bool ta = j >= cb || (i < ca && sa[i] <= sb[j]);
        r[k] = ta ? sa[i] : sb[j];
        i += ta;
        j += !ta;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) s[tid * 8 + k] = r[k];
    __syncthreads();
    for (int k = tid; k < 2048; k += 256) out[d0 + k] = s[k];
}
static void g_merge() {
    const char *g = "merge_sorted";
    if (skip(g)) return;
    Rng r(505);
    const int NA = 1 << 18, NB = (1 << 18) + (1 << 17), N = NA + NB;
    std::vector<u32> a(NA), b(NB);
    for (auto &x : a) x = r.below(1 << 22);
    for (auto &x : b) {
        double u = r.uni();
        x = (u32)(u * u * ((1 << 22) - 1));
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    Words ref(N);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), ref.begin());
    u32 *da = up(a), *db = up(b), *o = room<u32>(N);
    go(g, "rank_search", [=] { merge_rank<<<N / 256, 256>>>(da, NA, db, NB, o); }, o, 0, ref);
    go(g, "thread_path", [=] { merge_thread<<<N / 2048, 256>>>(da, NA, db, NB, o); }, o, 0, ref);
    go(g, "block_path", [=] { merge_block<<<N / 2048, 256>>>(da, NA, db, NB, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 6 segscan
// inclusive sums that start anew at each head and at each tile of 512
__global__ void segscan_hs(const u32 *__restrict__ in, const unsigned char *__restrict__ head,
                           u32 *__restrict__ out) {
    __shared__ u32 sv[512];
    __shared__ int sf[512];
    int tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    u32 v = in[i];
    int f = head[i];
    sv[tid] = v;
    sf[tid] = f;
    for (int o = 1; o < 512; o <<= 1) {
        __syncthreads();
        u32 pv = 0;
        int pf = 0;
        if (tid >= o) {
            pv = sv[tid - o];
            pf = sf[tid - o];
        }
        __syncthreads();
        if (!f) {
            v += pv;
            f = pf;
        }
        sv[tid] = v;
        sf[tid] = f;
    }
    out[i] = v;
}
__global__ void segscan_shfl(const uint4 *__restrict__ in, const uchar4 *__restrict__ head,
                             uint4 *__restrict__ out) {
    __shared__ u32 wv[4];
    __shared__ int wf[4];
    int tid = threadIdx.x, w = tid >> 5, lane = tid & 31, i = blockIdx.x * 128 + tid;
    uint4 x = in[i];
    uchar4 h = head[i];
    x.y += h.y ? 0 : x.x;
    x.z += h.z ? 0 : x.y;
    x.w += h.w ? 0 : x.z;
    u32 v = x.w;
    int f = h.x | h.y | h.z | h.w;
    for (int o = 1; o < 32; o <<= 1) {
        u32 pv = __shfl_up_sync(0xffffffffu, v, o);
        int pf = __shfl_up_sync(0xffffffffu, f, o);
        if (lane >= o && !f) {
            v += pv;
            f = pf;
        }
    }
    if (lane == 31) {
        wv[w] = v;
        wf[w] = f;
    }
    u32 ev = __shfl_up_sync(0xffffffffu, v, 1);
    int ef = __shfl_up_sync(0xffffffffu, f, 1);
    if (lane == 0) ev = 0, ef = 0;
    __syncthreads();
    u32 c = 0;
    for (int k = 0; k < w; k++) c = wf[k] ? wv[k] : c + wv[k];
    if (!ef) ev += c;
    bool open = !h.x;
    if (open) x.x += ev;
    open = open && !h.y;
    if (open) x.y += ev;
    open = open && !h.z;
    if (open) x.z += ev;
    open = open && !h.w;
    if (open) x.w += ev;
    out[i] = x;
}
static void g_segscan() {
    const char *g = "segscan";
    if (skip(g)) return;
    Rng r(606);
    const int N = 1 << 19;
    std::vector<u32> in(N);
    std::vector<unsigned char> head(N, 0);
    for (auto &x : in) x = r.below(1000);
    for (int i = 0; i < N;) {
        head[i] = 1;
        i += (int)std::min(3000.0, 3.0 / pow(r.uni(), 0.8));
    }
    Words ref(N);
    for (int i = 0; i < N; i++) ref[i] = (i % 512 == 0 || head[i]) ? in[i] : ref[i - 1] + in[i];
    u32 *di = up(in), *o = room<u32>(N);
    unsigned char *dh = up(head);
    go(g, "hillis_steele", [=] { segscan_hs<<<N / 512, 512>>>(di, dh, o); }, o, 0, ref);
    go(g, "shuffle4",
       [=] {
           segscan_shfl<<<N / 512, 128>>>((const uint4 *)di, (const uchar4 *)dh, (uint4 *)o);
       },
       o, 0, ref);
}

// ------------------------------------------------------------------ 7 rle_decode
__global__ void rle_thread(const int *__restrict__ start, const u32 *__restrict__ val, int nr,
                           u32 *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nr) return;
    u32 v = val[i];
    int end = start[i + 1];
    for (int k = start[i]; k < end; k++) out[k] = v;
}
__global__ void rle_block(const int *__restrict__ start, const u32 *__restrict__ val, int nr,
                          u32 *__restrict__ out) {
    __shared__ int ss[2048], lim[2];
    __shared__ u32 sv[2048];
    int n = start[nr], e0 = blockIdx.x * 2048, e1 = min(e0 + 2048, n);
    if (threadIdx.x == 0) lim[0] = last_le(start, nr, e0);
    if (threadIdx.x == 32) lim[1] = last_le(start, nr, e1 - 1);
    __syncthreads();
    int lo = lim[0], c = lim[1] - lo + 1; // at most 2048: no run is empty
    for (int j = threadIdx.x; j < c; j += blockDim.x) {
        ss[j] = start[lo + j];
        sv[j] = val[lo + j];
    }
    __syncthreads();
    for (int e = e0 + threadIdx.x; e < e1; e += blockDim.x) out[e] = sv[last_le(ss, c, e)];
}
static void g_rle() {
    const char *g = "rle_decode";
    if (skip(g)) return;
    Rng r(707);
    const int R = 1 << 16;
    std::vector<int> start(R + 1, 0);
    std::vector<u32> val(R);
    for (int i = 0; i < R; i++) {
        start[i + 1] = start[i] + std::min(1024, (int)(3.0 / pow(r.uni(), 0.8)));
        val[i] = r.below(256);
    }
    int N = start[R];
    Words ref(N);
    for (int i = 0; i < R; i++)
        for (int k = start[i]; k < start[i + 1]; k++) ref[k] = val[i];
    int *ds = up(start);
    u32 *dv = up(val), *o = room<u32>(N);
    go(g, "thread_per_run", [=] { rle_thread<<<R / 256, 256>>>(ds, dv, R, o); }, o, 0, ref);
    go(g, "block_search", [=] { rle_block<<<(N + 2047) / 2048, 256>>>(ds, dv, R, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 8 hist_skew
__global__ void hist_global(const u32 *__restrict__ in, int n, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[in[i]], 1u);
}
__global__ void hist_shared(const u32 *__restrict__ in, int n, u32 *out) {
    __shared__ u32 h[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) h[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&h[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        if (h[i]) atomicAdd(&out[i], h[i]);
}
__global__ void hist_copies(const uint4 *__restrict__ in, int n4, u32 *out) {
    __shared__ u32 h[8 * 1025];
    for (int i = threadIdx.x; i < 8 * 1025; i += blockDim.x) h[i] = 0;
    __syncthreads();
    u32 *m = h + (threadIdx.x & 7) * 1025; // copies by lane: equal keys of a warp are spread
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uint4 k = in[i];
        atomicAdd(&m[k.x], 1u);
        atomicAdd(&m[k.y], 1u);
        atomicAdd(&m[k.z], 1u);
        atomicAdd(&m[k.w], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        u32 s = 0;
        for (int c = 0; c < 8; c++) s += h[c * 1025 + i];
        if (s) atomicAdd(&out[i], s);
    }
}
static void g_hist() {
    const char *g = "hist_skew";
    if (skip(g)) return;
    Rng r(808);
    const int N = 1 << 20;
    std::vector<u32> in(N);
    Words ref(1024, 0);
    for (auto &x : in) {
        x = ((u32)pow(1024.0, r.uni()) * 37u) & 1023u;
        ref[x]++;
    }
    u32 *di = up(in), *o = room<u32>(1024);
    go(g, "global", [=] { hist_global<<<N / 256, 256>>>(di, N, o); }, o, 0, ref);
    go(g, "shared", [=] { hist_shared<<<264, 512>>>(di, N, o); }, o, 0, ref);
    go(g, "shared_copies", [=] { hist_copies<<<132, 512>>>((const uint4 *)di, N / 4, o); }, o, 0,
       ref);
}

// ------------------------------------------------------------------ 9 strmatch
#define PAT 12
__constant__ char c_pat[PAT];
__constant__ unsigned char c_skip[256];
__global__ void str_naive(const char *__restrict__ t, int n, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - PAT) return;
    int j = 0;
    while (j < PAT && t[i + j] == c_pat[j]) j++;
    if (j == PAT) out[i] = 1;
}
__global__ void str_horspool(const char *__restrict__ t, int n, unsigned char *out) {
    __shared__ unsigned char skip[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) skip[i] = c_skip[i];
    __syncthreads();
    int p = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    int end = min(p + 64, n - PAT + 1);
    while (p < end) {
        char last = t[p + PAT - 1];
        if (last == c_pat[PAT - 1]) {
            int j = 0;
            while (j < PAT - 1 && t[p + j] == c_pat[j]) j++;
            if (j == PAT - 1) out[p] = 1;
        }
        p += skip[(unsigned char)last];
    }
}
// four positions a thread; the text has 64 zero bytes behind it
__global__ void str_words(const u32 *__restrict__ t, int n4, u32 p0, u32 p1, u32 p2,
                          unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    u32 a = t[i], b = t[i + 1], c = t[i + 2], d = t[i + 3];
#pragma unroll
    for (int s = 0; s < 4; s++) {
        if (__funnelshift_r(a, b, 8 * s) == p0 && __funnelshift_r(b, c, 8 * s) == p1 &&
            __funnelshift_r(c, d, 8 * s) == p2)
            out[4 * i + s] = 1;
    }
}
static void g_str() {
    const char *g = "strmatch";
    if (skip(g)) return;
    Rng r(909);
    const int N = 5 << 19;
    const char *pat = "ACGTTGCAACGT";
    std::vector<char> t(N);
    for (auto &c : t) c = "ACGT"[r.next() & 3];
    for (int k = 0; k < 2000; k++) memcpy(&t[r.below(N - PAT)], pat, PAT);
    unsigned char skp[256];
    memset(skp, PAT, 256);
    for (int j = 0; j < PAT - 1; j++) skp[(unsigned char)pat[j]] = PAT - 1 - j;
    CK(cudaMemcpyToSymbol(c_pat, pat, PAT));
    CK(cudaMemcpyToSymbol(c_skip, skp, 256));
    u32 p[3];
    memcpy(p, pat, 12);
    u32 p0 = p[0], p1 = p[1], p2 = p[2];
    Words ref(N / 4, 0);
    for (int i = 0; i + PAT <= N; i++)
        if (!memcmp(&t[i], pat, PAT)) ((unsigned char *)ref.data())[i] = 1;
    char *dt = up(t, 64);
    unsigned char *o = room<unsigned char>(N);
    go(g, "naive", [=] { str_naive<<<N / 256, 256>>>(dt, N, o); }, o, 0, ref);
    go(g, "horspool", [=] { str_horspool<<<N / 64 / 128, 128>>>(dt, N, o); }, o, 0, ref);
    go(g, "words", [=] { str_words<<<N / 4 / 256, 256>>>((const u32 *)dt, N / 4, p0, p1, p2, o); },
       o, 0, ref);
}

// ------------------------------------------------------------------ 10 suffix_search
// lower bounds of patterns of 12 characters in a suffix array; the text is padded with 'A'
__global__ void suffix_bytes(const char *__restrict__ t, const int *__restrict__ sa, int n,
                             const char *__restrict__ pat, int nq, int *__restrict__ out) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) >> 1, p = sa[mid], j = 0, diff = 0;
        while (j < 12 && (diff = t[p + j] - pat[q * 12 + j]) == 0) j++;
        if (diff < 0) lo = mid + 1;
        else hi = mid;
    }
    out[q] = lo;
}
__global__ void suffix_packed(const u32 *__restrict__ t2, const int *__restrict__ sa,
                              const int *__restrict__ lut, const u32 *__restrict__ pat2, int nq,
                              int *__restrict__ out) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    u32 x = pat2[q];
    int lo = lut[x >> 12], hi = lut[(x >> 12) + 1];
    while (lo < hi) {
        int mid = (lo + hi) >> 1, p = sa[mid];
        u32 y = __funnelshift_l(t2[(p >> 4) + 1], t2[p >> 4], (p & 15) * 2) >> 8;
        if (y < x) lo = mid + 1;
        else hi = mid;
    }
    out[q] = lo;
}
static void g_suffix() {
    const char *g = "suffix_search";
    if (skip(g)) return;
    Rng r(1010);
    const int N = 1 << 18, Q = 1 << 16;
    std::vector<char> t(N + 64, 'A'), pat(Q * 12);
    std::vector<u32> code(N + 64, 0), t2((N + 64) / 16, 0), pat2(Q, 0);
    for (int i = 0; i < N; i++) code[i] = r.next() & 3, t[i] = "ACGT"[code[i]];
    for (int i = 0; i < N + 64; i++) t2[i / 16] |= code[i] << (30 - 2 * (i % 16));
    auto window = [&](int p, int len) {
        u32 w = 0;
        for (int j = 0; j < len; j++) w = w << 2 | code[p + j];
        return w;
    };
    std::vector<u64> keys(N);
    for (int i = 0; i < N; i++) keys[i] = (u64)window(i, 16) << 18 | (u64)i;
    std::sort(keys.begin(), keys.end());
    std::vector<int> sa(N), lut(4097);
    std::vector<u32> w12(N);
    for (int i = 0; i < N; i++) sa[i] = (int)(keys[i] & (N - 1)), w12[i] = (u32)(keys[i] >> 26);
    for (u32 c = 0; c <= 4096; c++)
        lut[c] = (int)(std::lower_bound(w12.begin(), w12.end(), c << 12) - w12.begin());
    Words ref(Q);
    for (int q = 0; q < Q; q++) {
        u32 x = (q & 1) ? window(r.below(N), 12) : (u32)(r.next() & 0xffffff);
        pat2[q] = x;
        for (int j = 0; j < 12; j++) pat[q * 12 + j] = "ACGT"[(x >> (22 - 2 * j)) & 3];
        ref[q] = (u32)(std::lower_bound(w12.begin(), w12.end(), x) - w12.begin());
    }
    char *dt = up(t), *dp = up(pat);
    u32 *dt2 = up(t2, 4), *dp2 = up(pat2);
    int *ds = up(sa), *dl = up(lut), *o = room<int>(Q);
    go(g, "bytes", [=] { suffix_bytes<<<Q / 128, 128>>>(dt, ds, N, dp, Q, o); }, o, 0, ref);
    go(g, "packed_lut", [=] { suffix_packed<<<Q / 128, 128>>>(dt2, ds, dl, dp2, Q, o); }, o, 0,
       ref);
}

// ------------------------------------------------------------------ 11 spmv
__global__ void spmv_csr_scalar(const int *__restrict__ row, const int *__restrict__ col,
                                const float *__restrict__ val, const float *__restrict__ x, int n,
                                float *__restrict__ y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    int end = row[r + 1];
    for (int k = row[r]; k < end; k++) s += val[k] * x[col[k]];
    y[r] = s;
}
__global__ void spmv_csr_vector(const int *__restrict__ row, const int *__restrict__ col,
                                const float *__restrict__ val, const float *__restrict__ x, int n,
                                float *__restrict__ y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, r = t >> 3, l = t & 7;
    float s = 0;
    if (r < n) {
        int end = row[r + 1];
        for (int k = row[r] + l; k < end; k += 8) s += val[k] * x[col[k]];
    }
    s += __shfl_down_sync(0xffffffffu, s, 4, 8);
    s += __shfl_down_sync(0xffffffffu, s, 2, 8);
    s += __shfl_down_sync(0xffffffffu, s, 1, 8);
    if (r < n && l == 0) y[r] = s;
}
__global__ void spmv_ell(const int *__restrict__ col, const float *__restrict__ val, int width,
                         const float *__restrict__ x, int n, float *__restrict__ y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    for (int k = 0; k < width; k++) {
        int c = col[k * n + r];
        if (c >= 0) s += val[k * n + r] * x[c];
    }
    y[r] = s;
}
// slices of 32 rows, sorted by length within windows of 1024
__global__ void spmv_sell(const int *__restrict__ ptr, const int *__restrict__ col,
                          const float *__restrict__ val, const int *__restrict__ perm,
                          const float *__restrict__ x, int n, float *__restrict__ y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    int s = r >> 5, end = ptr[s + 1];
    float a = 0;
#pragma unroll 4
    for (int k = ptr[s] + (r & 31); k < end; k += 32) a += val[k] * x[col[k]];
    y[perm[r]] = a;
}
static void g_spmv() {
    const char *g = "spmv";
    if (skip(g)) return;
    Rng r(1111);
    const int N = 1 << 17;
    std::vector<int> row(N + 1, 0), col;
    std::vector<float> val, x(N);
    int width = 0;
    for (auto &f : x) f = (float)r.below(16);
    for (int i = 0; i < N; i++) {
        int d = std::min(64, (int)(5.0 / pow(r.uni(), 0.6)));
        width = std::max(width, d);
        row[i + 1] = row[i] + d;
        for (int k = 0; k < d; k++) {
            int c = (r.next() & 1) ? (int)r.below(N) : (int)((i + r.below(256)) & (N - 1));
            col.push_back(c);
            val.push_back((float)r.below(16));
        }
    }
    std::vector<int> ecol((size_t)N * width, -1), ptr(N / 32 + 1, 0), scol;
    std::vector<float> eval((size_t)N * width, 0.f), sval, y(N, 0.f);
    for (int i = 0; i < N; i++)
        for (int k = row[i]; k < row[i + 1]; k++) {
            size_t p = (size_t)(k - row[i]) * N + i;
            ecol[p] = col[k], eval[p] = val[k];
            y[i] += val[k] * x[col[k]];
        }
    std::vector<int> perm(N);
    for (int i = 0; i < N; i++) perm[i] = i;
    for (int i = 0; i < N; i += 1024)
        std::stable_sort(perm.begin() + i, perm.begin() + i + 1024, [&](int p, int q) {
            return row[p + 1] - row[p] > row[q + 1] - row[q];
        });
    for (int s = 0; s < N / 32; s++) {
        int w = row[perm[s * 32] + 1] - row[perm[s * 32]];
        ptr[s + 1] = ptr[s] + w * 32;
        for (int k = 0; k < w; k++)
            for (int i = s * 32; i < s * 32 + 32; i++) {
                int p = perm[i];
                bool in = k < row[p + 1] - row[p];
                scol.push_back(in ? col[row[p] + k] : 0);
                sval.push_back(in ? val[row[p] + k] : 0.f);
            }
    }
    Words ref(N);
    memcpy(ref.data(), y.data(), N * 4);
    int *dr = up(row), *dc = up(col), *de = up(ecol), *dp = up(ptr), *ds = up(scol);
    int *dpm = up(perm);
    float *dv = up(val), *dev_ = up(eval), *dsv = up(sval), *dx = up(x), *o = room<float>(N);
    go(g, "csr_scalar", [=] { spmv_csr_scalar<<<N / 128, 128>>>(dr, dc, dv, dx, N, o); }, o, 0,
       ref);
    go(g, "csr_vector8", [=] { spmv_csr_vector<<<N / 32, 256>>>(dr, dc, dv, dx, N, o); }, o, 0,
       ref);
    go(g, "ell", [=] { spmv_ell<<<N / 128, 128>>>(de, dev_, width, dx, N, o); }, o, 0, ref);
    go(g, "sell32", [=] { spmv_sell<<<N / 128, 128>>>(dp, ds, dsv, dpm, dx, N, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 12 triangles
__global__ void tri_merge(const int *__restrict__ row, const int *__restrict__ col,
                          const int *__restrict__ src, int ne, int *__restrict__ out) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= ne) return;
    int u = src[e], v = col[e];
    int i = row[u], ie = row[u + 1], j = row[v], je = row[v + 1], c = 0;
    while (i < ie && j < je) {
        int a = col[i], b = col[j];
        c += a == b;
        i += a <= b;
        j += b <= a;
    }
    out[e] = c;
}
// V = 16384; a block marks a vertex's neighbours in a bitmap, 8 lanes probe for each edge
__global__ void tri_bitmap(const int *__restrict__ row, const int *__restrict__ col, int nv,
                           int *__restrict__ out) {
    __shared__ u32 bm[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) bm[i] = 0;
    __syncthreads();
    int grp = threadIdx.x >> 3, l = threadIdx.x & 7;
    u32 gm = 0xffu << (threadIdx.x & 24);
    for (int u = blockIdx.x; u < nv; u += gridDim.x) {
        int beg = row[u], end = row[u + 1];
        if (end - beg < 1) continue; // the same for the whole block
        for (int e = beg + threadIdx.x; e < end; e += blockDim.x)
            atomicOr(&bm[col[e] >> 5], 1u << (col[e] & 31));
        __syncthreads();
        for (int e = beg + grp; e < end; e += blockDim.x >> 3) {
            int v = col[e], ve = row[v + 1], c = 0;
            for (int k = row[v] + l; k < ve; k += 8) {
                int w = col[k];
                c += (bm[w >> 5] >> (w & 31)) & 1u;
            }
            c += __shfl_down_sync(gm, c, 4, 8);
            c += __shfl_down_sync(gm, c, 2, 8);
            c += __shfl_down_sync(gm, c, 1, 8);
            if (l == 0) out[e] = c;
        }
        __syncthreads();
        for (int e = beg + threadIdx.x; e < end; e += blockDim.x) bm[col[e] >> 5] = 0;
        __syncthreads();
    }
}
static void g_tri() {
    const char *g = "triangles";
    if (skip(g)) return;
    Rng r(1212);
    const int V = 1 << 14;
    std::vector<u64> es;
    for (int i = 0; i < 200000; i++) {
        double a = r.uni(), b = r.uni();
        u32 u = (u32)(a * a * (V - 1)), v = (u32)(b * b * b * (V - 1));
        if (u == v) continue;
        es.push_back((u64)std::min(u, v) << 32 | std::max(u, v));
    }
    std::sort(es.begin(), es.end());
    es.erase(std::unique(es.begin(), es.end()), es.end());
    std::vector<int> deg(V, 0);
    for (u64 e : es) deg[e >> 32]++, deg[(u32)e]++;
    for (u64 &e : es) {
        u32 u = (u32)(e >> 32), v = (u32)e;
        if (deg[u] > deg[v]) std::swap(u, v);
        e = (u64)u << 32 | v;
    }
    std::sort(es.begin(), es.end());
    const int E = (int)es.size();
    std::vector<int> row(V + 1, 0), col(E), src(E);
    for (int e = 0; e < E; e++) {
        src[e] = (int)(es[e] >> 32), col[e] = (int)(u32)es[e];
        row[src[e] + 1]++;
    }
    for (int v = 0; v < V; v++) row[v + 1] += row[v];
    Words ref(E, 0);
    if (checking) {
        std::vector<char> mark(V, 0);
        for (int u = 0; u < V; u++) {
            for (int k = row[u]; k < row[u + 1]; k++) mark[col[k]] = 1;
            for (int e = row[u]; e < row[u + 1]; e++)
                for (int k = row[col[e]]; k < row[col[e] + 1]; k++) ref[e] += mark[col[k]];
            for (int k = row[u]; k < row[u + 1]; k++) mark[col[k]] = 0;
        }
    }
    int *dr = up(row), *dc = up(col), *ds = up(src), *o = room<int>(E);
    go(g, "edge_merge", [=] { tri_merge<<<(E + 127) / 128, 128>>>(dr, dc, ds, E, o); }, o, 0, ref);
    go(g, "vertex_bitmap", [=] { tri_bitmap<<<1056, 128>>>(dr, dc, V, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 13 compact
// cnt[0]: the running count, cnt[1]: tickets; both are zero again when the kernel ends
__device__ static inline void last_block(u32 *cnt, u32 *total) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicInc(&cnt[1], gridDim.x - 1) == gridDim.x - 1) *total = atomicExch(&cnt[0], 0u);
    }
}
// n is a multiple of 32
__global__ void compact_warp(const u32 *__restrict__ in, int n, u32 limit, u32 *cnt,
                             u32 *__restrict__ out) {
    int lane = threadIdx.x & 31;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u32 v = in[i];
        bool keep = v < limit;
        u32 m = __ballot_sync(0xffffffffu, keep), base = 0;
        if (lane == 0 && m) base = atomicAdd(&cnt[0], (u32)__popc(m));
        base = __shfl_sync(0xffffffffu, base, 0);
        if (keep) out[base + __popc(m & ((1u << lane) - 1u))] = v;
    }
    last_block(cnt, out + n);
}
// n is a multiple of 2048
__global__ void compact_block(const uint4 *__restrict__ in, int n, u32 limit, u32 *cnt,
                              u32 *__restrict__ out) {
    __shared__ u32 s[2048], ws[8], sbase;
    int tid = threadIdx.x, w = tid >> 5, lane = tid & 31;
    uint4 a = in[blockIdx.x * 512 + tid], b = in[blockIdx.x * 512 + 256 + tid];
    u32 v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, c = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) c += v[k] < limit;
    u32 x = c;
    for (int o = 1; o < 32; o <<= 1) {
        u32 y = __shfl_up_sync(0xffffffffu, x, o);
        if (lane >= o) x += y;
    }
    if (lane == 31) ws[w] = x;
    __syncthreads();
    u32 p = x - c, total = 0;
    for (int k = 0; k < 8; k++) {
        if (k < w) p += ws[k];
        total += ws[k];
    }
    if (tid == 0) sbase = atomicAdd(&cnt[0], total);
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (v[k] < limit) s[p++] = v[k];
    __syncthreads();
    u32 base = sbase;
    for (u32 k = tid; k < total; k += 256) out[base + k] = s[k];
    last_block(cnt, out + n);
}
static void g_compact() {
    const char *g = "compact";
    if (skip(g)) return;
    Rng r(1313);
    const int N = 1 << 21;
    std::vector<u32> in(N);
    Words ref;
    const u32 limit = 300000;
    for (auto &v : in) {
        v = r.below(1000000);
        if (v < limit) ref.push_back(v);
    }
    std::sort(ref.begin(), ref.end());
    auto post = [=](Words &w) {
        u32 c = std::min(w[N], (u32)N);
        w.resize(c);
        std::sort(w.begin(), w.end());
    };
    u32 *di = up(in), *cnt = room<u32>(2), *o = room<u32>(N + 1);
    go(g, "warp_aggregated", [=] { compact_warp<<<1056, 256>>>(di, N, limit, cnt, o); }, o, 0, ref,
       post, N + 1);
    go(g, "block_staged",
       [=] { compact_block<<<N / 2048, 256>>>((const uint4 *)di, N, limit, cnt, o); }, o, 0, ref,
       post, N + 1);
}

// ------------------------------------------------------------------ 14 groupby
// the table of 16384 slots holds all the keys already; agg: sums, then counts
#define GSLOTS 16384
__device__ static inline void agg_global(const u32 *__restrict__ tab, u32 k, u32 sum, u32 cnt,
                                         u32 *agg) {
    u32 s = fmix(k) & (GSLOTS - 1);
    while (tab[s] != k) s = (s + 1) & (GSLOTS - 1);
    atomicAdd(&agg[s], sum);
    atomicAdd(&agg[GSLOTS + s], cnt);
}
__global__ void groupby_global(const u32 *__restrict__ key, const u32 *__restrict__ val, int n,
                               const u32 *__restrict__ tab, u32 *agg) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) agg_global(tab, key[i], val[i], 1, agg);
}
__global__ void groupby_shared(const u32 *__restrict__ key, const u32 *__restrict__ val, int n,
                               const u32 *__restrict__ tab, u32 *agg) {
    __shared__ u32 sk[1024], ss[1024], sc[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) sk[i] = ss[i] = sc[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u32 k = key[i], v = val[i], s = hash2(k) & 1023u;
        bool done = false;
        for (int p = 0; p < 3 && !done; p++) {
            u32 t = *(volatile u32 *)&sk[s];
            if (t == 0) t = atomicCAS(&sk[s], 0u, k);
            if (t == 0 || t == k) {
                atomicAdd(&ss[s], v);
                atomicAdd(&sc[s], 1u);
                done = true;
            }
            s = (s + 1) & 1023u;
        }
        if (!done) agg_global(tab, k, v, 1, agg);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        if (sk[i]) agg_global(tab, sk[i], ss[i], sc[i], agg);
}
static void g_groupby() {
    const char *g = "groupby";
    if (skip(g)) return;
    Rng r(1414);
    const int N = 1 << 20, G = 8192;
    std::vector<u32> tab(GSLOTS, 0), slot(G + 1), key(N), val(N);
    for (int i = 0; i < G; i++) {
        u32 k = fmix(i + 77), s = fmix(k) & (GSLOTS - 1);
        while (tab[s]) s = (s + 1) & (GSLOTS - 1);
        tab[s] = k, slot[i] = s;
    }
    Words ref(2 * GSLOTS, 0);
    for (int i = 0; i < N; i++) {
        int q = std::min(G - 1, (int)pow((double)G, r.uni()) - 1);
        key[i] = fmix(q + 77), val[i] = r.below(100);
        ref[slot[q]] += val[i], ref[GSLOTS + slot[q]]++;
    }
    u32 *dt = up(tab), *dk = up(key), *dv = up(val), *o = room<u32>(2 * GSLOTS);
    go(g, "global", [=] { groupby_global<<<N / 256, 256>>>(dk, dv, N, dt, o); }, o, 0, ref);
    go(g, "shared_table", [=] { groupby_shared<<<264, 512>>>(dk, dv, N, dt, o); }, o, 0, ref);
}

// ------------------------------------------------------------------ 15 kmeans_assign
__global__ void kmeans_naive(const float *__restrict__ p, const float *__restrict__ c, int n, int k,
                             int dim, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    int bi = 0;
    for (int j = 0; j < k; j++) {
        float s = 0;
        for (int d = 0; d < dim; d++) {
            float t = p[i * dim + d] - c[j * dim + d];
            s += t * t;
        }
        if (s < best) {
            best = s;
            bi = j;
        }
    }
    out[i] = bi;
}
__global__ void kmeans_shared(const float4 *__restrict__ p, const float4 *__restrict__ c, int n,
                              int *__restrict__ out) {
    __shared__ float4 sc[32 * 4];
    for (int j = threadIdx.x; j < 128; j += blockDim.x) sc[j] = c[j];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 x[4];
#pragma unroll
    for (int d = 0; d < 4; d++) x[d] = p[i * 4 + d];
    float best = 1e30f;
    int bi = 0;
#pragma unroll 2
    for (int j = 0; j < 32; j++) {
        float s = 0;
#pragma unroll
        for (int d = 0; d < 4; d++) {
            float4 q = sc[j * 4 + d];
            float a = x[d].x - q.x, b = x[d].y - q.y, e = x[d].z - q.z, f = x[d].w - q.w;
            s += a * a;
            s += b * b;
            s += e * e;
            s += f * f;
        }
        if (s < best) {
            best = s;
            bi = j;
        }
    }
    out[i] = bi;
}
static void g_kmeans() {
    const char *g = "kmeans_assign";
    if (skip(g)) return;
    Rng r(1515);
    const int N = 1 << 14, K = 32, D = 16;
    std::vector<float> p(N * D), c(K * D);
    for (auto &x : c) x = (float)r.below(64);
    for (auto &x : p) x = (float)r.below(64);
    Words ref(N);
    for (int i = 0; i < N; i++) {
        float best = 1e30f;
        for (int j = 0; j < K; j++) {
            float s = 0;
            for (int d = 0; d < D; d++) {
                float t = p[i * D + d] - c[j * D + d];
                s += t * t;
            }
            if (s < best) best = s, ref[i] = j;
        }
    }
    float *dp = up(p), *dc = up(c);
    int *o = room<int>(N);
    go(g, "global", [=] { kmeans_naive<<<N / 128, 128>>>(dp, dc, N, K, D, o); }, o, 0, ref);
    go(g, "shared_vec",
       [=] { kmeans_shared<<<N / 128, 128>>>((const float4 *)dp, (const float4 *)dc, N, o); }, o, 0,
       ref);
}

// ------------------------------------------------------------------ 16 bvh_count
struct Box {
    float lo[3], hi[3];
};
// a complete binary tree in heap order: root 1, leaves from nl
__global__ void bvh_stack(const Box *__restrict__ node, int nl, const Box *__restrict__ query,
                          int nq, int *__restrict__ out) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    Box b = query[q];
    int stack[32], top = 0, c = 0;
    stack[top++] = 1;
    while (top) {
        int i = stack[--top];
        bool hit = true;
        for (int d = 0; d < 3; d++)
            hit = hit && node[i].lo[d] <= b.hi[d] && node[i].hi[d] >= b.lo[d];
        if (!hit) continue;
        if (i >= nl) c++;
        else {
            stack[top++] = 2 * i + 1;
            stack[top++] = 2 * i;
        }
    }
    out[q] = c;
}
__global__ void bvh_stackless(const float4 *__restrict__ node, int nl,
                              const Box *__restrict__ query, int nq, int *__restrict__ out) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    Box b = query[q];
    int c = 0;
    u32 i = 1;
    do {
        float4 l = node[2 * i], h = node[2 * i + 1];
        bool hit = (l.x <= b.hi[0]) & (h.x >= b.lo[0]) & (l.y <= b.hi[1]) & (h.y >= b.lo[1]) &
                   (l.z <= b.hi[2]) & (h.z >= b.lo[2]);
        if (hit && i < (u32)nl) i = 2 * i;
        else {
            c += hit;
            i++;
            i >>= __ffs(i) - 1;
        }
    } while (i != 1);
    out[q] = c;
}
static void g_bvh() {
    const char *g = "bvh_count";
    if (skip(g)) return;
    Rng r(1616);
    const int L = 1 << 14, Q = 1 << 14;
    auto box = [&](float ext, float *c) {
        Box b;
        for (int d = 0; d < 3; d++) {
            float h = ext * (float)(0.25 + 0.75 * r.uni());
            c[d] = (float)r.uni();
            b.lo[d] = c[d] - h, b.hi[d] = c[d] + h;
        }
        return b;
    };
    std::vector<std::pair<u32, int>> order(L);
    std::vector<Box> prim(L), node(2 * L), query(Q);
    float c[3];
    for (int i = 0; i < L; i++) {
        prim[i] = box(0.012f, c);
        u32 m = 0;
        for (int bit = 9; bit >= 0; bit--)
            for (int d = 0; d < 3; d++) m = m << 1 | (((u32)(c[d] * 1023.0f) >> bit) & 1u);
        order[i] = {m, i};
    }
    std::sort(order.begin(), order.end());
    for (int i = 0; i < L; i++) node[L + i] = prim[order[i].second];
    for (int i = L - 1; i >= 1; i--)
        for (int d = 0; d < 3; d++) {
            node[i].lo[d] = std::min(node[2 * i].lo[d], node[2 * i + 1].lo[d]);
            node[i].hi[d] = std::max(node[2 * i].hi[d], node[2 * i + 1].hi[d]);
        }
    node[0] = node[1];
    std::vector<float4> vec(4 * L);
    for (int i = 0; i < 2 * L; i++) {
        vec[2 * i] = make_float4(node[i].lo[0], node[i].lo[1], node[i].lo[2], 0);
        vec[2 * i + 1] = make_float4(node[i].hi[0], node[i].hi[1], node[i].hi[2], 0);
    }
    for (auto &b : query) b = box(0.03f, c);
    Words ref(Q, 0);
    if (checking)
        for (int q = 0; q < Q; q++)
            for (int i = 0; i < L; i++) {
                bool hit = true;
                for (int d = 0; d < 3; d++)
                    hit = hit && prim[i].lo[d] <= query[q].hi[d] && prim[i].hi[d] >= query[q].lo[d];
                ref[q] += hit;
            }
    Box *dn = up(node), *dq = up(query);
    float4 *dv = up(vec);
    int *o = room<int>(Q);
    go(g, "stack", [=] { bvh_stack<<<Q / 64, 64>>>(dn, L, dq, Q, o); }, o, 0, ref);
    go(g, "stackless_vec", [=] { bvh_stackless<<<Q / 64, 64>>>(dv, L, dq, Q, o); }, o, 0, ref);
}

int main(int argc, char **argv) {
    checking = argc > 1 && !strcmp(argv[1], "check");
    g_bfs();
    g_cc();
    g_hash();
    g_radix();
    g_merge();
    g_segscan();
    g_rle();
    g_hist();
    g_str();
    g_suffix();
    g_spmv();
    g_tri();
    g_compact();
    g_groupby();
    g_kmeans();
    g_bvh();
    return 0;
}
