// Graphs, hashing, sorting, scans: 18 groups, 40 kernels. programs.h says how to run it.
#include "programs.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <cstdint>
#include <cmath>
#include <map>
namespace cg = cooperative_groups;
typedef unsigned int u32;
typedef unsigned long long u64;
#define FULL 0xffffffffu

// ------------------------------------------------------------------ host side helpers
struct Rng {
    u64 s;
    explicit Rng(u64 seed) : s(seed) {}
    u64 next() {
        u64 z = (s += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    u32 below(u32 n) { return (u32)((next() >> 32) * (u64)n >> 32); }
    double uni() { return (next() >> 11) * (1.0 / 9007199254740992.0); }
};
template <class T> static T *up(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static std::vector<T> down(const T *p, size_t n) {
    std::vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
typedef std::vector<double> Res;
template <class T> static Res res(const T *p, size_t n) {
    auto h = down(p, n);
    return Res(h.begin(), h.end());
}
struct Chk {
    std::string g, v;
    std::function<void()> pre, launch;
    std::function<Res()> get;
    double tol;
};
static std::vector<Chk> checks;
static void go(const char *g, const char *v, std::function<void()> launch,
               std::function<void()> pre, std::function<Res()> get, double tol = 0) {
    if (!wanted(g)) return;
    bench(g, v, launch);
    checks.push_back({g, v, pre, launch, get, tol});
}
static void check() {
    std::map<std::string, Res> ref;
    for (auto &c : checks) {
        c.pre();
        CK(cudaDeviceSynchronize());
        c.launch();
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        Res r = c.get();
        bool ok = !r.empty();
        auto it = ref.find(c.g);
        if (it == ref.end()) {
            ref[c.g] = r;
        } else {
            const Res &f = it->second;
            ok = ok && f.size() == r.size();
            for (size_t i = 0; ok && i < r.size(); i++)
                if (!(std::fabs(r[i] - f[i]) <= c.tol * (1 + std::fabs(f[i])))) ok = false;
        }
        printf("CHECK %s/%s %s\n", c.g.c_str(), c.v.c_str(), ok ? "ok" : "WRONG");
        fflush(stdout);
    }
}
static auto nothing = [] {};
__host__ __device__ __forceinline__ u32 fmix32(u32 h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
__device__ __forceinline__ u32 lanemask_lt() {
    u32 m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}

// ================================================================== 1. BFS frontier expansion
// `stamp` carries the launch's number, so that a node is "claimed" once a launch without any reset.
__global__ void bfs_thread(const int *row, const int *col, const int *frontier, int nf,
                           const unsigned char *visited, u32 *stamp, u32 epoch, int *next,
                           int *tail) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nf) return;
    int u = frontier[i];
    for (int e = row[u]; e < row[u + 1]; e++) {
        int v = col[e];
        if (!visited[v] && atomicExch(&stamp[v], epoch) != epoch) {
            int p = atomicAdd(tail, 1);
            next[p] = v;
        }
    }
}
__global__ void __launch_bounds__(256)
    bfs_warp(const int *__restrict__ row, const int *__restrict__ col,
             const int *__restrict__ frontier, int nf, const unsigned char *__restrict__ visited,
             u32 *stamp, u32 epoch, int *__restrict__ next, int *tail) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (w >= nf) return;
    int u = __ldg(frontier + w), beg = __ldg(row + u), end = __ldg(row + u + 1);
    for (int base = beg; base < end; base += 32) {
        int e = base + lane, v = -1;
        bool fresh = false;
        if (e < end) {
            v = __ldg(col + e);
            if (!__ldg(visited + v)) fresh = atomicExch(&stamp[v], epoch) != epoch;
        }
        u32 m = __ballot_sync(FULL, fresh);
        if (m) {
            int p = 0;
            if (lane == 0) p = atomicAdd(tail, __popc(m));
            p = __shfl_sync(FULL, p, 0);
            if (fresh) next[p + __popc(m & lanemask_lt())] = v;
        }
    }
}
template <int QCAP>
__global__ void bfs_block(const int *__restrict__ row, const int *__restrict__ col,
                          const int *__restrict__ frontier,
                          const unsigned char *__restrict__ visited, u32 *stamp, u32 epoch,
                          int *__restrict__ next, int *tail) {
    __shared__ int q[QCAP];
    __shared__ int qn, qbase;
    if (threadIdx.x == 0) qn = 0;
    __syncthreads();
    int u = frontier[blockIdx.x], beg = row[u], end = row[u + 1];
    for (int e = beg + threadIdx.x; e < end; e += blockDim.x) {
        int v = col[e];
        if (!visited[v] && atomicExch(&stamp[v], epoch) != epoch)
            q[atomicAdd(&qn, 1)] = v; // degree <= QCAP
    }
    __syncthreads();
    if (threadIdx.x == 0 && qn > 0) qbase = atomicAdd(tail, qn);
    __syncthreads();
    for (int k = threadIdx.x; k < qn; k += blockDim.x) next[qbase + k] = q[k];
}
static u32 ep_bfs = 0;
static void g_bfs() {
    const char *G = "bfs_expand";
    if (!wanted(G)) return;
    const int N = 1 << 18, NF = 24576;
    Rng r(11);
    std::vector<int> row(N + 1), col;
    row[0] = 0;
    for (int u = 0; u < N; u++) {
        int d = (int)(4.0 / std::pow(r.uni() + 1e-9, 0.6));
        if (d > 160) d = 160;
        for (int k = 0; k < d; k++)
            col.push_back((r.next() & 1) ? (int)r.below(N) : (int)((u + 1 + r.below(1024)) % N));
        row[u + 1] = (int)col.size();
    }
    std::vector<unsigned char> vis(N);
    for (int u = 0; u < N; u++) vis[u] = (fmix32(u + 77) % 3) == 0;
    std::vector<int> fr;
    for (int u = 0; u < N && (int)fr.size() < NF; u++)
        if (vis[u] && (r.next() % 5) < 2) fr.push_back(u);
    for (int i = (int)fr.size() - 1; i > 0; i--) std::swap(fr[i], fr[r.below(i + 1)]);
    int nf = (int)fr.size();
    int *dr = up(row), *dc = up(col), *df = up(fr);
    auto *dv = up(vis);
    u32 *st = dev<u32>(N, false);
    int *nx = dev<int>(N, false);
    int *ctr = dev<int>(4096, false);
    auto get = [=] {
        int c = down(ctr + (ep_bfs & 4095), 1)[0];
        Res x = res(nx, c);
        std::sort(x.begin(), x.end());
        return x;
    };
    go(
        G, "thread",
        [=] {
            ++ep_bfs;
            bfs_thread<<<(nf + 255) / 256, 256>>>(dr, dc, df, nf, dv, st, ep_bfs, nx,
                                                  ctr + (ep_bfs & 4095));
        },
        nothing, get);
    go(
        G, "warp_ballot",
        [=] {
            ++ep_bfs;
            bfs_warp<<<(nf * 32 + 255) / 256, 256>>>(dr, dc, df, nf, dv, st, ep_bfs, nx,
                                                     ctr + (ep_bfs & 4095));
        },
        nothing, get);
    go(
        G, "block_queue",
        [=] {
            ++ep_bfs;
            bfs_block<160><<<nf, 64>>>(dr, dc, df, dv, st, ep_bfs, nx, ctr + (ep_bfs & 4095));
        },
        nothing, get);
}

// ================================================================== 2. PageRank
__global__ void pr_push(const int *__restrict__ row, const int *__restrict__ dst,
                        const float *__restrict__ rank, float *out, int n, float base, float damp) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n) return;
    int b = row[u], e = row[u + 1];
    atomicAdd(&out[u], base);
    if (e == b) return;
    float c = damp * rank[u] / (float)(e - b);
    for (int k = b; k < e; k++) atomicAdd(&out[dst[k]], c);
}
template <int T>
__global__ void pr_pull(const int *__restrict__ row, const int *__restrict__ src,
                        const float2 *__restrict__ rank_inv, float *__restrict__ out, int n,
                        float base, float damp) {
    auto tile = cg::tiled_partition<T>(cg::this_thread_block());
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / T;
    if (v >= n) return;
    float s = 0.f;
    int e = row[v + 1];
    for (int k = row[v] + tile.thread_rank(); k < e; k += T) {
        float2 q = __ldg(&rank_inv[src[k]]);
        s = fmaf(q.x, q.y, s);
    }
    s = cg::reduce(tile, s, cg::plus<float>());
    if (tile.thread_rank() == 0) out[v] = base + damp * s;
}
static void g_pr() {
    const char *G = "pagerank";
    if (!wanted(G)) return;
    const int N = 200000, E = 2400000;
    Rng r(22);
    std::vector<int> es(E), ed(E), ro(N + 1, 0), ri(N + 1, 0), dst(E), src(E);
    for (int i = 0; i < E; i++) {
        double x = r.uni();
        es[i] = r.below(N);
        ed[i] = (i & 3) ? std::min(N - 1, (int)(std::pow(x, 1.5) * N))
                        : (int)((es[i] + r.below(256)) % N);
        ro[es[i] + 1]++;
        ri[ed[i] + 1]++;
    }
    for (int i = 0; i < N; i++) {
        ro[i + 1] += ro[i];
        ri[i + 1] += ri[i];
    }
    auto po = ro, pi = ri;
    for (int i = 0; i < E; i++) {
        dst[po[es[i]]++] = ed[i];
        src[pi[ed[i]]++] = es[i];
    }
    std::vector<float> rank(N);
    std::vector<float2> rk(N);
    for (int i = 0; i < N; i++) {
        rank[i] = (float)(0.5 + r.uni());
        int d = ro[i + 1] - ro[i];
        rk[i] = make_float2(rank[i], d ? 1.f / d : 0.f);
    }
    int *a = up(ro), *b = up(dst), *c = up(ri), *d = up(src);
    float *dk = up(rank);
    float2 *dk2 = up(rk);
    float *o = dev<float>(N, false);
    auto zero = [=] { CK(cudaMemset(o, 0, N * sizeof(float))); };
    auto get = [=] { return res(o, N); };
    go(
        G, "push_atomic", [=] { pr_push<<<(N + 127) / 128, 128>>>(a, b, dk, o, N, 0.15f, 0.85f); },
        zero, get);
    go(
        G, "pull_tile8",
        [=] { pr_pull<8><<<(N * 8 + 255) / 256, 256>>>(c, d, dk2, o, N, 0.15f, 0.85f); }, zero, get,
        1e-4);
}

// ================================================================== 3. sparse matrix-vector
__global__ void spmv_csr_scalar(int m, const int *row, const int *col, const float *val,
                                const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < m) {
        float s = 0;
        for (int j = row[r]; j < row[r + 1]; j++) s += val[j] * x[col[j]];
        y[r] = s;
    }
}
__global__ void spmv_csr_vector_tex(int m, const int *__restrict__ row, const int *__restrict__ col,
                                    const float *__restrict__ val, cudaTextureObject_t x,
                                    float *__restrict__ y) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= m) return;
    float s = 0;
    int e = row[r + 1];
    for (int j = row[r] + lane; j < e; j += 32) s += val[j] * tex1Dfetch<float>(x, col[j]);
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(FULL, s, o);
    if (lane == 0) y[r] = s;
}
template <int W>
__global__ void spmv_ell(int m, const int *__restrict__ col, const float *__restrict__ val,
                         const float *__restrict__ x, float *__restrict__ y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < W; k++) {
        int c = col[k * m + r];
        if (c >= 0) s = fmaf(val[k * m + r], __ldg(x + c), s);
    }
    y[r] = s;
}
__global__ void spmv_coo_seg(int nnz, const int *__restrict__ rows, const int *__restrict__ cols,
                             const float *__restrict__ vals, const float *__restrict__ x,
                             float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int r = -1;
    float v = 0;
    if (i < nnz) {
        r = rows[i];
        v = vals[i] * x[cols[i]];
    }
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float t = __shfl_up_sync(FULL, v, d);
        int q = __shfl_up_sync(FULL, r, d);
        if (lane >= d && q == r) v += t;
    }
    int nr = __shfl_down_sync(FULL, r, 1);
    if (r >= 0 && (lane == 31 || nr != r)) atomicAdd(&y[r], v);
}
static void g_spmv() {
    const char *G = "spmv";
    if (!wanted(G)) return;
    const int M = 49152, W = 48;
    Rng r(33);
    std::vector<int> row(M + 1, 0), col, rows, ec((size_t)M * W, -1);
    std::vector<float> val, ev((size_t)M * W, 0.f), x(M);
    for (int i = 0; i < M; i++) {
        x[i] = (float)(r.uni());
        int len = 16 + r.below(W - 16 + 1);
        std::vector<int> c(len);
        for (auto &q : c) q = (r.next() % 3) ? (int)((i + r.below(4096)) % M) : (int)r.below(M);
        std::sort(c.begin(), c.end());
        for (int k = 0; k < len; k++) {
            float f = (float)r.uni();
            col.push_back(c[k]);
            val.push_back(f);
            rows.push_back(i);
            ec[(size_t)k * M + i] = c[k];
            ev[(size_t)k * M + i] = f;
        }
        row[i + 1] = (int)col.size();
    }
    int nnz = (int)col.size();
    int *dr = up(row), *dc = up(col), *ds = up(rows), *de = up(ec);
    float *dv = up(val), *dev_ = up(ev), *dx = up(x), *y = dev<float>(M, false);
    cudaResourceDesc rd{};
    rd.resType = cudaResourceTypeLinear;
    rd.res.linear.devPtr = dx;
    rd.res.linear.desc = cudaCreateChannelDesc<float>();
    rd.res.linear.sizeInBytes = M * sizeof(float);
    cudaTextureDesc td{};
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t tx;
    CK(cudaCreateTextureObject(&tx, &rd, &td, nullptr));
    auto zero = [=] { CK(cudaMemset(y, 0, M * sizeof(float))); };
    auto get = [=] { return res(y, M); };
    go(
        G, "csr_scalar", [=] { spmv_csr_scalar<<<M / 128, 128>>>(M, dr, dc, dv, dx, y); }, zero,
        get);
    go(
        G, "csr_vector_tex", [=] { spmv_csr_vector_tex<<<M / 8, 256>>>(M, dr, dc, dv, tx, y); },
        zero, get, 1e-4);
    go(
        G, "ell", [=] { spmv_ell<W><<<M / 128, 128>>>(M, de, dev_, dx, y); }, zero, get, 1e-4);
    go(
        G, "coo_segmented",
        [=] { spmv_coo_seg<<<(nnz + 255) / 256, 256>>>(nnz, ds, dc, dv, dx, y); }, zero, get, 1e-4);
}

// ================================================================== 4. triangle counting
__global__ void tri_merge(const int *__restrict__ row, const int *__restrict__ col,
                          const int2 *__restrict__ edge, int ne, u64 *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int cnt = 0;
    if (i < ne) {
        int2 e = edge[i];
        int a = row[e.x], ae = row[e.x + 1], b = row[e.y], be = row[e.y + 1];
        while (a < ae && b < be) {
            int x = col[a], y = col[b];
            cnt += (x == y);
            a += (x <= y);
            b += (y <= x);
        }
    }
    cnt = __reduce_add_sync(FULL, cnt);
    if ((threadIdx.x & 31) == 0 && cnt) atomicAdd(total, (u64)cnt);
}
__global__ void tri_bitmap(const int *__restrict__ row, const int *__restrict__ col, int words,
                           u64 *total) {
    extern __shared__ u32 bits[];
    __shared__ int bsum;
    for (int i = threadIdx.x; i < words; i += blockDim.x) bits[i] = 0;
    if (threadIdx.x == 0) bsum = 0;
    __syncthreads();
    int u = blockIdx.x, b = row[u], e = row[u + 1];
    for (int k = b + threadIdx.x; k < e; k += blockDim.x) {
        int v = col[k];
        atomicOr(&bits[v >> 5], 1u << (v & 31));
    }
    __syncthreads();
    int sub = threadIdx.x >> 3, l = threadIdx.x & 7, cnt = 0;
    for (int k = b + sub; k < e; k += blockDim.x >> 3) {
        int v = col[k], f = row[v + 1];
        for (int j = row[v] + l; j < f; j += 8) {
            int w = col[j];
            cnt += (bits[w >> 5] >> (w & 31)) & 1;
        }
    }
    if (cnt) atomicAdd(&bsum, cnt);
    __syncthreads();
    if (threadIdx.x == 0 && bsum) atomicAdd(total, (u64)bsum);
}
static void g_tri() {
    const char *G = "triangles";
    if (!wanted(G)) return;
    const int N = 16384;
    Rng r(44);
    std::vector<int> row(N + 1, 0), col;
    std::vector<int2> ed;
    for (int u = 0; u < N; u++) {
        std::vector<int> a;
        int d = (r.below(16) == 0) ? 60 : 6 + r.below(12);
        for (int k = 0; k < d; k++) {
            int v = (r.next() & 3) ? u + 1 + (int)r.below(100) : u + 1 + (int)r.below(N);
            if (v < N) a.push_back(v);
        }
        std::sort(a.begin(), a.end());
        a.erase(std::unique(a.begin(), a.end()), a.end());
        for (int v : a) {
            col.push_back(v);
            ed.push_back(make_int2(u, v));
        }
        row[u + 1] = (int)col.size();
    }
    int ne = (int)ed.size();
    int *dr = up(row), *dc = up(col);
    int2 *de = up(ed);
    u64 *t = dev<u64>(1, false);
    auto zero = [=] { CK(cudaMemset(t, 0, 8)); };
    auto get = [=] { return res(t, 1); };
    go(
        G, "merge_edge", [=] { tri_merge<<<(ne + 127) / 128, 128>>>(dr, dc, de, ne, t); }, zero,
        get);
    go(
        G, "bitmap_block", [=] { tri_bitmap<<<N, 64, N / 8>>>(dr, dc, N / 32, t); }, zero, get);
}

// ================================================================== 5. connected components: a hooking pass
// Low 20 bits: label; high 12 bits: falling launch number, so each launch begins as from an empty array.
__global__ void cc_hook_edge(const int2 *edges, int ne, const u32 *parent, u32 *hook, u32 tag) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ne) return;
    int2 e = edges[i];
    u32 a = parent[e.x], b = parent[e.y];
    if (a != b) {
        u32 hi = max(a, b), lo = min(a, b);
        atomicMin(&hook[hi], tag | lo);
    }
}
__global__ void cc_hook_vec(const int4 *__restrict__ edges2, int ne2,
                            const u32 *__restrict__ parent, u32 *hook, u32 tag) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ne2; i += gridDim.x * blockDim.x) {
        int4 e = __ldcs(edges2 + i);
        u32 a0 = __ldg(parent + e.x), b0 = __ldg(parent + e.y), a1 = __ldg(parent + e.z),
            b1 = __ldg(parent + e.w);
        u32 h0 = max(a0, b0), l0 = tag | min(a0, b0), h1 = max(a1, b1), l1 = tag | min(a1, b1);
        u32 c0 = __ldcg(hook + h0), c1 = __ldcg(hook + h1); // look before you hook
        if (a0 != b0 && l0 < c0) atomicMin(&hook[h0], l0);
        if (a1 != b1 && l1 < c1) atomicMin(&hook[h1], l1);
    }
}
static u32 ep_cc = 0;
static void g_cc() {
    const char *G = "cc_hook";
    if (!wanted(G)) return;
    const int N = 1 << 20, E = 2000000;
    Rng r(55);
    std::vector<u32> p(N);
    std::vector<int2> e(E);
    for (int v = 0; v < N; v++)
        p[v] = (v < 64 || (r.next() & 3) == 0) ? v : (u32)(v - r.below(v < 4096 ? v : 4096));
    for (int i = 0; i < E; i++) {
        int a = r.below(N);
        int b = (r.next() & 1) ? (int)r.below(N) : (int)((a + 1 + r.below(2000)) % N);
        e[i] = make_int2(a, b);
    }
    int2 *de = up(e);
    u32 *dp = up(p);
    u32 *h = dev<u32>(N, false);
    CK(cudaMemset(h, 0xff, N * 4));
    auto pre = [=] { CK(cudaMemset(h, 0xff, N * 4)); };
    auto get = [=] {
        auto v = down(h, N);
        u32 t = 4095 - ep_cc;
        Res o(N);
        for (int i = 0; i < N; i++) o[i] = (v[i] >> 20) == t ? (double)(v[i] & 0xfffff) : -1.0;
        return o;
    };
    go(
        G, "edge",
        [=] {
            ++ep_cc;
            cc_hook_edge<<<(E + 255) / 256, 256>>>(de, E, dp, h, (4095 - ep_cc) << 20);
        },
        pre, get);
    go(
        G, "vec2_precheck",
        [=] {
            ++ep_cc;
            cc_hook_vec<<<132 * 8, 256>>>((const int4 *)de, E / 2, dp, h, (4095 - ep_cc) << 20);
        },
        pre, get);
}

// ================================================================== 6. hash table insert (slot = launch number : key)
__global__ void hins_linear(const u32 *keys, int n, u64 *table, u32 mask, u32 epoch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = keys[i];
    u64 mine = ((u64)epoch << 32) | k;
    u32 s = fmix32(k) & mask;
    while (true) {
        u64 cur = *(volatile u64 *)&table[s];
        if ((u32)(cur >> 32) != epoch) {
            u64 prev = atomicCAS(&table[s], cur, mine);
            if (prev == cur) return;
        }
        s = (s + 1) & mask;
    }
}
template <int T>
__global__ void hins_coop(const u32 *__restrict__ keys, int n, u64 *table, u32 mask, u32 epoch) {
    auto tile = cg::tiled_partition<T>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 my = 0;
    bool todo = i < n;
    if (todo) my = keys[i];
    u32 work;
    while ((work = tile.ballot(todo)) != 0) {
        int src = __ffs(work) - 1;
        u32 k = tile.shfl(my, src);
        u64 mine = ((u64)epoch << 32) | k;
        u32 win = fmix32(k) & mask & ~(u32)(T - 1);
        bool done = false;
        while (!done) {
            u64 *slot = &table[win + tile.thread_rank()];
            u64 cur = *(volatile u64 *)slot;
            u32 empty = tile.ballot((u32)(cur >> 32) != epoch);
            while (empty && !done) {
                int w = __ffs(empty) - 1;
                bool ok = false;
                if ((int)tile.thread_rank() == w) ok = atomicCAS(slot, cur, mine) == cur;
                done = tile.any(ok);
                empty &= empty - 1;
            }
            if (!done) win = (win + T) & mask;
        }
        if ((int)tile.thread_rank() == src) todo = false;
    }
}
static u32 ep_h = 0;
static void g_hins() {
    const char *G = "hash_insert";
    if (!wanted(G)) return;
    const int n = 300000;
    const u32 cap = 1u << 19;
    std::vector<u32> k(n);
    for (int i = 0; i < n; i++) k[i] = fmix32(i * 3 + 1);
    u32 *dk = up(k);
    u64 *t = dev<u64>(cap, false);
    auto get = [=] {
        auto v = down(t, cap);
        Res o;
        for (u64 x : v)
            if ((u32)(x >> 32) == ep_h) o.push_back((double)(u32)x);
        std::sort(o.begin(), o.end());
        return o;
    };
    go(
        G, "linear_cas",
        [=] {
            ++ep_h;
            hins_linear<<<(n + 255) / 256, 256>>>(dk, n, t, cap - 1, ep_h);
        },
        nothing, get);
    go(
        G, "coop_tile8",
        [=] {
            ++ep_h;
            hins_coop<8><<<(n + 127) / 128, 128>>>(dk, n, t, cap - 1, ep_h);
        },
        nothing, get);
}

// ================================================================== 7. hash table look-up
__host__ __device__ __forceinline__ u32 hA(u32 k, u32 seed) {
    return fmix32(k ^ seed);
}
__host__ __device__ __forceinline__ u32 hB(u32 k, u32 seed) {
    return fmix32(k * 0x9E3779B1u + seed);
}
__global__ void hlook_linear(const u32 *__restrict__ q, int n, const uint2 *__restrict__ table,
                             u32 mask, u32 *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 k = q[i], s = fmix32(k) & mask, r = 0;
    for (;;) {
        uint2 e = table[s];
        if (e.x == k) {
            r = e.y;
            break;
        }
        if (e.x == 0xffffffffu) break;
        s = (s + 1) & mask;
    }
    out[i] = r;
}
__global__ void __launch_bounds__(256)
    hlook_cuckoo2(const uint2 *__restrict__ q2, int n2, const uint2 *__restrict__ table, u32 half,
                  u32 seed, uint2 *__restrict__ out2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n2) return;
    uint2 k = __ldcs(q2 + i); // two keys a thread, four independent probes
    uint2 a0 = __ldg(table + (hA(k.x, seed) & (half - 1))),
          b0 = __ldg(table + half + (hB(k.x, seed) & (half - 1)));
    uint2 a1 = __ldg(table + (hA(k.y, seed) & (half - 1))),
          b1 = __ldg(table + half + (hB(k.y, seed) & (half - 1)));
    uint2 r;
    r.x = a0.x == k.x ? a0.y : (b0.x == k.x ? b0.y : 0u);
    r.y = a1.x == k.y ? a1.y : (b1.x == k.y ? b1.y : 0u);
    __stcs(out2 + i, r);
}
static void g_hlook() {
    const char *G = "hash_lookup";
    if (!wanted(G)) return;
    const int nk = 400000, nq = 1 << 21;
    const u32 cap = 1u << 20, half = cap / 2;
    Rng r(77);
    std::vector<u32> key(nk);
    for (int i = 0; i < nk; i++) key[i] = fmix32(i * 5 + 2);
    std::vector<uint2> lin(cap, make_uint2(0xffffffffu, 0)), cu;
    for (u32 k : key) {
        u32 s = fmix32(k) & (cap - 1);
        while (lin[s].x != 0xffffffffu) s = (s + 1) & (cap - 1);
        lin[s] = make_uint2(k, k % 9973u + 1);
    }
    u32 seed = 1234567u;
    for (bool good = false; !good; seed += 101) {
        good = true;
        cu.assign(cap, make_uint2(0xffffffffu, 0));
        for (u32 k0 : key) {
            uint2 c = make_uint2(k0, k0 % 9973u + 1);
            bool placed = false;
            u32 side = 0;
            for (int it = 0; it < 1000 && !placed; it++) {
                u32 s = side ? half + (hB(c.x, seed) & (half - 1)) : (hA(c.x, seed) & (half - 1));
                std::swap(cu[s], c);
                placed = c.x == 0xffffffffu;
                side ^= 1;
            }
            if (!placed) {
                good = false;
                break;
            }
        }
        if (good) break;
    }
    std::vector<u32> q(nq);
    for (int i = 0; i < nq; i++)
        q[i] = (r.next() & 1) ? key[r.below(nk)] : fmix32(0x40000000u + r.below(1u << 28));
    uint2 *dl = up(lin), *dcu = up(cu);
    u32 *dq = up(q);
    u32 *o = dev<u32>(nq, false);
    auto get = [=] { return res(o, nq); };
    go(
        G, "linear", [=] { hlook_linear<<<nq / 256, 256>>>(dq, nq, dl, cap - 1, o); }, nothing,
        get);
    go(
        G, "cuckoo_2x2",
        [=] {
            hlook_cuckoo2<<<nq / 512, 256>>>((const uint2 *)dq, nq / 2, dcu, half, seed,
                                             (uint2 *)o);
        },
        nothing, get);
}

// ================================================================== 8. histogram, 256 bins of bytes
__global__ void hist256_shared(const unsigned char *in, int n, u32 *hist) {
    __shared__ u32 h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&h[in[i]], 1u);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], h[threadIdx.x]);
}
template <int WARPS>
__global__ void hist256_warp_private(const uint4 *__restrict__ in, int n16, u32 *hist) {
    __shared__ u32 h[WARPS * 257];
    for (int i = threadIdx.x; i < WARPS * 257; i += WARPS * 32) h[i] = 0;
    __syncthreads();
    u32 *mine = h + (threadIdx.x >> 5) * 257;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += blockDim.x * gridDim.x) {
        uint4 v = in[i];
        u32 w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomicAdd(mine + (w[k] & 255), 1u);
            atomicAdd(mine + ((w[k] >> 8) & 255), 1u);
            atomicAdd(mine + ((w[k] >> 16) & 255), 1u);
            atomicAdd(mine + (w[k] >> 24), 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += WARPS * 32) {
        u32 s = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) s += h[w * 257 + b];
        if (s) atomicAdd(hist + b, s);
    }
}
static void g_hist() {
    const char *G = "hist_256";
    if (!wanted(G)) return;
    const int n = 6 << 20;
    Rng r(88);
    std::vector<unsigned char> x(n);
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < 4; k++) s += r.uni();
        x[i] = (unsigned char)(s * 63.9);
    }
    auto *dx = up(x);
    u32 *h = dev<u32>(256, false);
    auto zero = [=] { CK(cudaMemset(h, 0, 1024)); };
    auto get = [=] { return res(h, 256); };
    go(
        G, "shared", [=] { hist256_shared<<<132 * 4, 256>>>(dx, n, h); }, zero, get);
    go(
        G, "warp_private_vec",
        [=] { hist256_warp_private<8><<<132 * 2, 256>>>((const uint4 *)dx, n / 16, h); }, zero,
        get);
}

// ================================================================== 9. histogram, 32768 bins
__global__ void hist32k_global(const int *__restrict__ in, int n, u32 *hist) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(hist + in[i], 1u);
}
#define CL_BINS 8192
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024)
    hist32k_cluster(const int4 *__restrict__ in, int n4, u32 *hist) {
    __shared__ u32 h[CL_BINS]; // a quarter of the bins in each block of the cluster
    cg::cluster_group cl = cg::this_cluster();
    for (int i = threadIdx.x; i < CL_BINS; i += blockDim.x) h[i] = 0;
    cl.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        atomicAdd(cl.map_shared_rank(h, v.x / CL_BINS) + v.x % CL_BINS, 1u);
        atomicAdd(cl.map_shared_rank(h, v.y / CL_BINS) + v.y % CL_BINS, 1u);
        atomicAdd(cl.map_shared_rank(h, v.z / CL_BINS) + v.z % CL_BINS, 1u);
        atomicAdd(cl.map_shared_rank(h, v.w / CL_BINS) + v.w % CL_BINS, 1u);
    }
    cl.sync();
    u32 *g = hist + cl.block_rank() * CL_BINS;
    for (int i = threadIdx.x; i < CL_BINS; i += blockDim.x)
        if (h[i]) atomicAdd(g + i, h[i]);
}
static void g_hist32k() {
    const char *G = "hist_32k";
    if (!wanted(G)) return;
    const int n = 3 << 20, B = 32768;
    Rng r(99);
    std::vector<int> x(n);
    for (auto &v : x) {
        double u = r.uni();
        v = (int)(u * u * B);
        if (v >= B) v = B - 1;
    }
    int *dx = up(x);
    u32 *h = dev<u32>(B, false);
    auto zero = [=] { CK(cudaMemset(h, 0, B * 4)); };
    auto get = [=] { return res(h, B); };
    go(
        G, "global", [=] { hist32k_global<<<n / 256, 256>>>(dx, n, h); }, zero, get);
    go(
        G, "cluster_dsmem", [=] { hist32k_cluster<<<128, 1024>>>((const int4 *)dx, n / 4, h); },
        zero, get);
}

// ================================================================== 10. radix sort: scatter pass of 4 bits (keys and payload)
__global__ void radix_split(const u32 *keys, const u32 *vals, u32 *ko, u32 *vo, const int *offs,
                            int nb, int shift) {
    __shared__ u32 sk[256], sv[256];
    __shared__ int wsum[8], start[16];
    int t = threadIdx.x, w = t >> 5, g = blockIdx.x * 256 + t;
    u32 k = keys[g], v = vals[g];
    for (int b = 0; b < 4; b++) {
        int bit = (k >> (shift + b)) & 1;
        u32 m = __ballot_sync(FULL, !bit);
        if ((t & 31) == 0) wsum[w] = __popc(m);
        __syncthreads();
        int pre = 0, tot = 0;
        for (int j = 0; j < 8; j++) {
            int c = wsum[j];
            if (j < w) pre += c;
            tot += c;
        }
        int z = pre + __popc(m & lanemask_lt());
        int pos = bit ? tot + t - z : z;
        sk[pos] = k;
        sv[pos] = v;
        __syncthreads();
        k = sk[t];
        v = sv[t];
    }
    int d = (k >> shift) & 15;
    if (t == 0 || (int)((sk[t - 1] >> shift) & 15) != d) start[d] = t;
    __syncthreads();
    int o = offs[d * nb + blockIdx.x] + t - start[d];
    ko[o] = k;
    vo[o] = v;
}
template <int ITEMS>
__global__ void __launch_bounds__(256)
    radix_match(const u32 *__restrict__ keys, const u32 *__restrict__ vals, u32 *__restrict__ ko,
                u32 *__restrict__ vo, const int *__restrict__ offs, int nb, int shift) {
    __shared__ int cnt[8][16];
    int t = threadIdx.x, w = t >> 5, lane = t & 31;
    if (t < 128) cnt[t >> 4][t & 15] = 0;
    __syncthreads();
    int base = blockIdx.x * (256 * ITEMS) + w * (32 * ITEMS) + lane;
    u32 k[ITEMS];
    int rk[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) k[i] = keys[base + i * 32];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int d = (k[i] >> shift) & 15;
        u32 m = __match_any_sync(FULL, d);
        int lead = __ffs(m) - 1, b = 0;
        if (lane == lead) {
            b = cnt[w][d];
            cnt[w][d] = b + __popc(m);
        }
        rk[i] = __shfl_sync(FULL, b, lead) + __popc(m & lanemask_lt());
        __syncwarp();
    }
    __syncthreads();
    if (t < 16) {
        int run = offs[t * nb + blockIdx.x];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int c = cnt[j][t];
            cnt[j][t] = run;
            run += c;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int o = cnt[w][(k[i] >> shift) & 15] + rk[i];
        ko[o] = k[i];
        vo[o] = vals[base + i * 32];
    }
}
static void g_radix() {
    const char *G = "radix_scatter";
    if (!wanted(G)) return;
    const int n = 3 << 18, shift = 8;
    Rng r(110);
    std::vector<u32> k(n), v(n);
    for (int i = 0; i < n; i++) {
        k[i] = (u32)r.next();
        v[i] = i;
    }
    auto mk = [&](int tile) {
        int nb = n / tile;
        std::vector<int> o(16 * nb, 0);
        for (int i = 0; i < n; i++) o[((k[i] >> shift) & 15) * nb + i / tile]++;
        int s = 0;
        for (auto &x : o) {
            int c = x;
            x = s;
            s += c;
        }
        return up(o);
    };
    int *oa = mk(256), *ob = mk(2048);
    u32 *dk = up(k), *dv = up(v), *ko = dev<u32>(n, false), *vo = dev<u32>(n, false);
    auto pre = [=] {
        CK(cudaMemset(ko, 0, n * 4));
        CK(cudaMemset(vo, 0, n * 4));
    };
    auto get = [=] {
        Res a = res(ko, n), b = res(vo, n);
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    go(
        G, "split_bits", [=] { radix_split<<<n / 256, 256>>>(dk, dv, ko, vo, oa, n / 256, shift); },
        pre, get);
    go(
        G, "match_any",
        [=] { radix_match<8><<<n / 2048, 256>>>(dk, dv, ko, vo, ob, n / 2048, shift); }, pre, get);
}

// ================================================================== 11. bitonic sort of segments of 512
__global__ void bitonic_shared(const u32 *in, u32 *out) {
    __shared__ u32 s[512];
    int t = threadIdx.x, o = blockIdx.x * 512;
    s[t] = in[o + t];
    s[t + 256] = in[o + t + 256];
    for (int size = 2; size <= 512; size <<= 1)
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1)), j = i + stride;
            bool asc = (i & size) == 0;
            u32 a = s[i], b = s[j];
            if ((a > b) == asc) {
                s[i] = b;
                s[j] = a;
            }
        }
    __syncthreads();
    out[o + t] = s[t];
    out[o + t + 256] = s[t + 256];
}
template <int SZ, int ST> __device__ __forceinline__ void bit_steps(u32 (&v)[16], int lane) {
    if constexpr (ST >= 16) {
        bool lower = (lane & (ST / 16)) == 0, asc = ((lane * 16) & SZ) == 0;
#pragma unroll
        for (int r = 0; r < 16; r++) {
            u32 o = __shfl_xor_sync(FULL, v[r], ST / 16);
            v[r] = (lower == asc) ? min(v[r], o) : max(v[r], o);
        }
    } else {
#pragma unroll
        for (int r = 0; r < 16; r++)
            if (!(r & ST)) {
                bool asc = ((lane * 16 + r) & SZ) == 0;
                u32 a = v[r], b = v[r | ST];
                v[r] = asc ? min(a, b) : max(a, b);
                v[r | ST] = asc ? max(a, b) : min(a, b);
            }
    }
    if constexpr (ST > 1) bit_steps<SZ, ST / 2>(v, lane);
}
template <int SZ> __device__ __forceinline__ void bit_sort(u32 (&v)[16], int lane) {
    if constexpr (SZ > 2) bit_sort<SZ / 2>(v, lane);
    bit_steps<SZ, SZ / 2>(v, lane);
}
__global__ void __launch_bounds__(64)
    bitonic_regs(const uint4 *__restrict__ in, uint4 *__restrict__ out, int segs) {
    int seg = (blockIdx.x * 64 + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (seg >= segs) return;
    u32 v[16];
    const uint4 *p = in + seg * 128 + lane * 4;
#pragma unroll
    for (int q = 0; q < 4; q++) {
        uint4 x = p[q];
        v[4 * q] = x.x;
        v[4 * q + 1] = x.y;
        v[4 * q + 2] = x.z;
        v[4 * q + 3] = x.w;
    }
    bit_sort<512>(v, lane);
    uint4 *o = out + seg * 128 + lane * 4;
#pragma unroll
    for (int q = 0; q < 4; q++)
        o[q] = make_uint4(v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]);
}
static void g_bitonic() {
    const char *G = "bitonic_512";
    if (!wanted(G)) return;
    const int S = 528;
    Rng r(121);
    std::vector<u32> x(S * 512);
    for (auto &v : x) v = (u32)r.next();
    u32 *d = up(x), *o = dev<u32>(S * 512, false);
    auto pre = [=] { CK(cudaMemset(o, 0, S * 2048)); };
    auto get = [=] { return res(o, S * 512); };
    go(
        G, "shared", [=] { bitonic_shared<<<S, 256>>>(d, o); }, pre, get);
    go(
        G, "warp_registers", [=] { bitonic_regs<<<S / 2, 64>>>((const uint4 *)d, (uint4 *)o, S); },
        pre, get);
}

// ================================================================== 12. merge of two sorted arrays
__global__ void merge_rank(const int *__restrict__ a, int na, const int *__restrict__ b, int nb,
                           int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na) {
        int x = a[i], lo = 0, hi = nb;
        while (lo < hi) {
            int m = (lo + hi) >> 1;
            if (b[m] < x) lo = m + 1;
            else hi = m;
        }
        out[i + lo] = x;
    } else if (i < na + nb) {
        int j = i - na, x = b[j], lo = 0, hi = na;
        while (lo < hi) {
            int m = (lo + hi) >> 1;
            if (a[m] <= x) lo = m + 1;
            else hi = m;
        }
        out[j + lo] = x;
    }
}
__device__ __forceinline__ int merge_diag(const int *a, int na, const int *b, int nb, int d) {
    int lo = max(0, d - nb), hi = min(d, na);
    while (lo < hi) {
        int m = (lo + hi) >> 1;
        if (a[m] <= b[d - 1 - m]) lo = m + 1;
        else hi = m;
    }
    return lo;
}
template <int NT, int VT>
__global__ void __launch_bounds__(NT)
    merge_path(const int *__restrict__ a, int na, const int *__restrict__ b, int nb,
               int *__restrict__ out) {
    __shared__ int s[NT * VT];
    __shared__ int cut[2];
    int d0 = blockIdx.x * NT * VT, t = threadIdx.x; // na+nb is a multiple of NT*VT
    if ((t & 31) == 0 && t < 64) cut[t >> 5] = merge_diag(a, na, b, nb, d0 + (t >> 5) * NT * VT);
    __syncthreads();
    int a0 = cut[0], la = cut[1] - a0, b0 = d0 - a0, lb = NT * VT - la;
    for (int i = t; i < NT * VT; i += NT) s[i] = i < la ? a[a0 + i] : b[b0 + i - la];
    __syncthreads();
    const int *sa = s, *sb = s + la;
    int i = merge_diag(sa, la, sb, lb, t * VT), j = t * VT - i, r[VT];
#pragma unroll
    for (int k = 0; k < VT; k++) {
        bool ta = i < la && (j >= lb || sa[i] <= sb[j]);
        r[k] = ta ? sa[i++] : sb[j++];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VT; k++) s[t * VT + k] = r[k];
    __syncthreads();
    for (int k = t; k < NT * VT; k += NT) out[d0 + k] = s[k];
}
static void g_merge() {
    const char *G = "merge_sorted";
    if (!wanted(G)) return;
    const int na = 500000, nb = (3 << 18) - 500000;
    Rng r(132);
    std::vector<int> a(na), b(nb);
    for (auto &x : a) x = r.below(3000000);
    for (auto &x : b) x = 500000 + r.below(3000000);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    int *da = up(a), *db = up(b), *o = dev<int>(na + nb, false);
    auto pre = [=] { CK(cudaMemset(o, 0, (na + nb) * 4)); };
    auto get = [=] { return res(o, na + nb); };
    go(
        G, "rank_search", [=] { merge_rank<<<(na + nb) / 256, 256>>>(da, na, db, nb, o); }, pre,
        get);
    go(
        G, "merge_path_tile",
        [=] { merge_path<128, 8><<<(na + nb) / 1024, 128>>>(da, na, db, nb, o); }, pre, get);
}

// ================================================================== 13. device-wide scan in one pass (blocks wait for earlier tiles; state resets itself)
struct ScanCtl {
    u32 ticket, done;
};
template <int NT>
__device__ __forceinline__ u32 block_exclusive(u32 x, u32 &total) { // by warp shuffles
    __shared__ u32 ws[NT / 32];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    u32 s = x;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        u32 y = __shfl_up_sync(FULL, s, d);
        if (lane >= d) s += y;
    }
    if (lane == 31) ws[w] = s;
    __syncthreads();
    u32 pre = 0;
    total = 0;
#pragma unroll
    for (int j = 0; j < NT / 32; j++) {
        u32 c = ws[j];
        if (j < w) pre += c;
        total += c;
    }
    return pre + s - x;
}
template <int NT>
__device__ __forceinline__ void scan_finish(ScanCtl *ctl, volatile u64 *state, bool *sh_last) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        *sh_last = atomicAdd(&ctl->done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (*sh_last) {
        for (u32 i = threadIdx.x; i < gridDim.x; i += NT) state[i] = 0;
        if (threadIdx.x == 0) {
            ctl->ticket = 0;
            ctl->done = 0;
        }
    }
}
template <int NT>
__global__ void __launch_bounds__(NT)
    scan_chained(const uint4 *__restrict__ in, uint4 *__restrict__ out, ScanCtl *ctl, u64 *st) {
    __shared__ u32 tile_s, prefix_s;
    __shared__ bool last;
    volatile u64 *state = st;
    if (threadIdx.x == 0) tile_s = atomicAdd(&ctl->ticket, 1u);
    __syncthreads();
    u32 tile = tile_s;
    size_t p = ((size_t)tile * NT + threadIdx.x) * 4;
    uint4 v[4];
    u32 sum = 0;
#pragma unroll
    for (int q = 0; q < 4; q++) {
        v[q] = in[p + q];
        v[q].x += sum;
        v[q].y += v[q].x;
        v[q].z += v[q].y;
        v[q].w += v[q].z;
        sum = v[q].w;
    }
    u32 total, ex = block_exclusive<NT>(sum, total);
    if (threadIdx.x == 0) {
        u32 pre = 0;
        if (tile > 0) {
            u64 s;
            do s = state[tile - 1];
            while ((s >> 32) == 0);
            pre = (u32)s;
        }
        state[tile] = (1ull << 32) | (u32)(pre + total);
        prefix_s = pre;
    }
    __syncthreads();
    ex += prefix_s;
#pragma unroll
    for (int q = 0; q < 4; q++)
        out[p + q] = make_uint4(v[q].x + ex, v[q].y + ex, v[q].z + ex, v[q].w + ex);
    scan_finish<NT>(ctl, state, &last);
}
template <int NT>
__global__ void __launch_bounds__(NT)
    scan_lookback(const uint4 *__restrict__ in, uint4 *__restrict__ out, ScanCtl *ctl, u64 *st) {
    __shared__ u32 tile_s, prefix_s;
    __shared__ bool last;
    volatile u64 *state = st;
    if (threadIdx.x == 0) tile_s = atomicAdd(&ctl->ticket, 1u);
    __syncthreads();
    u32 tile = tile_s;
    size_t p = ((size_t)tile * NT + threadIdx.x) * 2;
    uint4 a = in[p], b = in[p + 1];
    a.y += a.x;
    a.z += a.y;
    a.w += a.z;
    b.x += a.w;
    b.y += b.x;
    b.z += b.y;
    b.w += b.z;
    u32 total, ex = block_exclusive<NT>(b.w, total);
    if (threadIdx.x < 32) {
        int lane = threadIdx.x;
        if (lane == 0) state[tile] = ((tile == 0 ? 2ull : 1ull) << 32) | total;
        u32 pre = 0;
        if (tile > 0) {
            int idx = (int)tile - 1 - lane;
            while (true) {
                u64 s = 2ull << 32;
                do {
                    if (idx >= 0) s = state[idx];
                } while (__any_sync(FULL, (s >> 32) == 0));
                u32 pm = __ballot_sync(FULL, (s >> 32) == 2);
                u32 x = (u32)s;
                if (pm && lane > __ffs(pm) - 1) x = 0;
                pre += __reduce_add_sync(FULL, x);
                if (pm) break;
                idx -= 32;
            }
            if (lane == 0) state[tile] = (2ull << 32) | (u32)(pre + total);
        }
        if (lane == 0) prefix_s = pre;
    }
    __syncthreads();
    ex += prefix_s;
    out[p] = make_uint4(a.x + ex, a.y + ex, a.z + ex, a.w + ex);
    out[p + 1] = make_uint4(b.x + ex, b.y + ex, b.z + ex, b.w + ex);
    scan_finish<NT>(ctl, state, &last);
}
static void g_scan() {
    const char *G = "device_scan";
    if (!wanted(G)) return;
    const int n = 1 << 20;
    Rng r(143);
    std::vector<u32> x(n);
    for (auto &v : x) v = r.below(1000);
    u32 *d = up(x), *o = dev<u32>(n, false);
    u64 *st = dev<u64>(1024, false);
    ScanCtl *c;
    CK(cudaMalloc(&c, sizeof(ScanCtl)));
    CK(cudaMemset(c, 0, sizeof(ScanCtl)));
    auto pre = [=] { CK(cudaMemset(o, 0, n * 4)); };
    auto get = [=] { return res(o, n); };
    go(
        G, "chained",
        [=] { scan_chained<512><<<n / 8192, 512>>>((const uint4 *)d, (uint4 *)o, c, st); }, pre,
        get);
    go(
        G, "lookback_warp",
        [=] { scan_lookback<256><<<n / 2048, 256>>>((const uint4 *)d, (uint4 *)o, c, st); }, pre,
        get);
}

// ================================================================== 14. scan of segments of 256 halves
__global__ void tscan_shuffle(const uint4 *__restrict__ in, float4 *__restrict__ out, int segs) {
    int seg = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (seg >= segs) return;
    uint4 raw = in[seg * 32 + lane];
    __half2 h[4];
    memcpy(h, &raw, 16);
    float v[8];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 f = __half22float2(h[i]);
        v[2 * i] = f.x;
        v[2 * i + 1] = f.y;
    }
#pragma unroll
    for (int i = 1; i < 8; i++) v[i] += v[i - 1];
    float s = v[7];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float y = __shfl_up_sync(FULL, s, d);
        if (lane >= d) s += y;
    }
    s -= v[7];
    out[seg * 64 + lane * 2] = make_float4(v[0] + s, v[1] + s, v[2] + s, v[3] + s);
    out[seg * 64 + lane * 2 + 1] = make_float4(v[4] + s, v[5] + s, v[6] + s, v[7] + s);
}
__global__ void __launch_bounds__(256)
    tscan_wmma(const __half *__restrict__ in, float *__restrict__ out, int segs) { // A*U + (L*A)*J
    using namespace nvcuda;
    __shared__ __align__(32) __half U[256];
    __shared__ __align__(32) __half L[256];
    __shared__ __align__(32) __half tmp[8][256];
    int t = threadIdx.x, w = t >> 5, i = t >> 4, j = t & 15;
    U[t] = __float2half(i <= j ? 1.f : 0.f);
    L[t] = __float2half(j < i ? 1.f : 0.f);
    __syncthreads();
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fu, fj, fab;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fl, fa, fg;
    wmma::load_matrix_sync(fu, U, 16);
    wmma::load_matrix_sync(fl, L, 16);
    wmma::fill_fragment(fj, __float2half(1.f));
    for (int seg = blockIdx.x * 8 + w; seg < segs; seg += gridDim.x * 8) {
        const __half *p = in + (size_t)seg * 256;
        wmma::load_matrix_sync(fa, p, 16);
        wmma::load_matrix_sync(fab, p, 16);
        wmma::fragment<wmma::accumulator, 16, 16, 16, __half> g;
        wmma::fill_fragment(g, __float2half(0.f));
        wmma::mma_sync(g, fl, fab, g);
        wmma::store_matrix_sync(tmp[w], g, 16, wmma::mem_row_major);
        __syncwarp();
        wmma::load_matrix_sync(fg, tmp[w], 16);
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
        wmma::fill_fragment(acc, 0.f);
        wmma::mma_sync(acc, fa, fu, acc);
        wmma::mma_sync(acc, fg, fj, acc);
        wmma::store_matrix_sync(out + (size_t)seg * 256, acc, 16, wmma::mem_row_major);
        __syncwarp();
    }
}
static void g_tscan() {
    const char *G = "segment_scan_half";
    if (!wanted(G)) return;
    const int S = 16384, n = S * 256;
    Rng r(154);
    std::vector<__half> x(n);
    for (auto &v : x) v = __float2half((float)r.below(4));
    __half *d = up(x);
    float *o = dev<float>(n, false);
    auto pre = [=] { CK(cudaMemset(o, 0, n * 4)); };
    auto get = [=] { return res(o, n); };
    go(
        G, "shuffle", [=] { tscan_shuffle<<<S / 8, 256>>>((const uint4 *)d, (float4 *)o, S); }, pre,
        get);
    go(
        G, "wmma", [=] { tscan_wmma<<<132 * 4, 256>>>(d, o, S); }, pre, get);
}

// ================================================================== 15. stream compaction: points within a ball
__device__ __forceinline__ bool inside(float4 p) {
    return p.x * p.x + p.y * p.y + p.z * p.z < p.w;
}
__global__ void compact_atomic(const float4 *pts, int n, int *out, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (inside(pts[i])) {
        int p = atomicAdd(count, 1);
        out[p] = i;
    }
}
__global__ void compact_warp_agg(const float4 *__restrict__ pts, int n, int *__restrict__ out,
                                 int *count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (inside(__ldg(pts + i))) {
            cg::coalesced_group g = cg::coalesced_threads();
            int base = 0;
            if (g.thread_rank() == 0) base = atomicAdd(count, (int)g.size());
            out[g.shfl(base, 0) + g.thread_rank()] = i;
        }
    }
}
template <int IT>
__global__ void __launch_bounds__(256)
    compact_block_scan(const float4 *__restrict__ pts, int n, int *__restrict__ out, int *count) {
    __shared__ int wc[IT * 8];
    __shared__ int base;
    int t = threadIdx.x, w = t >> 5, lane = t & 31, b0 = blockIdx.x * 256 * IT;
    u32 m[IT];
#pragma unroll
    for (int k = 0; k < IT; k++) {
        int i = b0 + k * 256 + t;
        bool f = i < n && inside(pts[i]);
        m[k] = __ballot_sync(FULL, f);
        if (lane == 0) wc[k * 8 + w] = __popc(m[k]);
    }
    __syncthreads();
    if (w == 0) {
        int c = lane < IT * 8 ? wc[lane] : 0, s = c;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            int y = __shfl_up_sync(FULL, s, d);
            if (lane >= d) s += y;
        }
        if (lane == 31) base = atomicAdd(count, s);
        if (lane < IT * 8) wc[lane] = s - c;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < IT; k++)
        if ((m[k] >> lane) & 1)
            out[base + wc[k * 8 + w] + __popc(m[k] & lanemask_lt())] = b0 + k * 256 + t;
}
static u32 ep_cp = 0;
static void g_compact() {
    const char *G = "compact";
    if (!wanted(G)) return;
    const int n = 1500000;
    Rng r(165);
    std::vector<float4> p(n);
    for (auto &q : p)
        q = make_float4((float)(2 * r.uni() - 1), (float)(2 * r.uni() - 1),
                        (float)(2 * r.uni() - 1), 0.5f);
    float4 *d = up(p);
    int *o = dev<int>(n, false);
    int *c = dev<int>(4096, false);
    auto get = [=] {
        int m = down(c + (ep_cp & 4095), 1)[0];
        Res x = res(o, m);
        std::sort(x.begin(), x.end());
        return x;
    };
    go(
        G, "atomic",
        [=] {
            ++ep_cp;
            compact_atomic<<<(n + 255) / 256, 256>>>(d, n, o, c + (ep_cp & 4095));
        },
        nothing, get);
    go(
        G, "warp_aggregated",
        [=] {
            ++ep_cp;
            compact_warp_agg<<<132 * 8, 256>>>(d, n, o, c + (ep_cp & 4095));
        },
        nothing, get);
    go(
        G, "block_scan",
        [=] {
            ++ep_cp;
            compact_block_scan<4><<<(n + 1023) / 1024, 256>>>(d, n, o, c + (ep_cp & 4095));
        },
        nothing, get);
}

// ================================================================== 16. binary search (value of the lower bound)
__global__ void bs_sorted(const int *__restrict__ a, int n, const int *__restrict__ q, int nq,
                          int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    int x = q[i], lo = 0, hi = n;
    while (lo < hi) {
        int m = lo + (hi - lo) / 2;
        if (a[m] < x) lo = m + 1;
        else hi = m;
    }
    out[i] = lo < n ? a[lo] : -1;
}
template <int LEVELS, int TOP>
__global__ void __launch_bounds__(512)
    bs_eytzinger(const int *__restrict__ b, const int *__restrict__ q, int nq,
                 int *__restrict__ out) {
    __shared__ int top[1 << TOP]; // first TOP levels of the tree
    for (int i = threadIdx.x; i < (1 << TOP); i += blockDim.x) top[i] = b[i];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nq; i += gridDim.x * blockDim.x) {
        int x = q[i];
        u32 k = 1;
#pragma unroll
        for (int l = 0; l < TOP; l++) k = 2 * k + (top[k] < x);
#pragma unroll
        for (int l = TOP; l < LEVELS; l++) k = 2 * k + (__ldg(b + k) < x);
        k >>= __ffs(~k);
        out[i] = k ? b[k] : -1;
    }
}
static void g_bs() {
    const char *G = "binary_search";
    if (!wanted(G)) return;
    const int n = (1 << 20) - 1, nq = 500000;
    Rng r(176);
    std::vector<int> a(n), b(n + 1, 0), q(nq);
    int v = 5;
    for (auto &x : a) {
        x = v;
        v += 1 + r.below(1000);
    }
    for (auto &x : q) x = (int)r.below(v + 200);
    int pos = 0;
    std::function<void(int)> fill = [&](int k) {
        if (k > n) return;
        fill(2 * k);
        b[k] = a[pos++];
        fill(2 * k + 1);
    };
    fill(1);
    int *da = up(a), *db = up(b), *dq = up(q), *o = dev<int>(nq, false);
    auto pre = [=] { CK(cudaMemset(o, 0, nq * 4)); };
    auto get = [=] { return res(o, nq); };
    go(
        G, "sorted", [=] { bs_sorted<<<(nq + 127) / 128, 128>>>(da, n, dq, nq, o); }, pre, get);
    go(
        G, "eytzinger_top_shared", [=] { bs_eytzinger<20, 11><<<132 * 4, 512>>>(db, dq, nq, o); },
        pre, get);
}

// ================================================================== 17. run-length encoding of chunks of 256 bytes
__global__ void rle_serial(const unsigned char *in, int chunks, unsigned char *sym,
                           unsigned short *len, int *cnt) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    const unsigned char *p = in + c * 256;
    int k = 0, start = 0;
    unsigned char cur = p[0];
    for (int i = 1; i < 256; i++) {
        unsigned char x = p[i];
        if (x != cur) {
            sym[c * 256 + k] = cur;
            len[c * 256 + k] = (unsigned short)(i - start);
            k++;
            cur = x;
            start = i;
        }
    }
    sym[c * 256 + k] = cur;
    len[c * 256 + k] = (unsigned short)(256 - start);
    cnt[c] = k + 1;
}
__global__ void __launch_bounds__(128)
    rle_ballot(const unsigned char *__restrict__ in, int chunks, unsigned char *__restrict__ sym,
               unsigned short *__restrict__ len, int *__restrict__ cnt) {
    __shared__ unsigned short start_s[4][258];
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31, c = blockIdx.x * 4 + w;
    if (c >= chunks) return;
    unsigned short *start = start_s[w];
    const unsigned char *p = in + c * 256;
    int k = 0;
    u32 carry = 256;
#pragma unroll
    for (int it = 0; it < 8; it++) {
        u32 x = p[it * 32 + lane], prev = __shfl_up_sync(FULL, x, 1);
        if (lane == 0) prev = carry;
        u32 m = __ballot_sync(FULL, x != prev);
        if (x != prev) {
            int r = k + __popc(m & lanemask_lt());
            start[r] = (unsigned short)(it * 32 + lane);
            sym[c * 256 + r] = (unsigned char)x;
        }
        k += __popc(m);
        carry = __shfl_sync(FULL, x, 31);
    }
    if (lane == 0) {
        start[k] = 256;
        cnt[c] = k;
    }
    __syncwarp();
    for (int r = lane; r < k; r += 32) len[c * 256 + r] = (unsigned short)(start[r + 1] - start[r]);
}
static void g_rle() {
    const char *G = "run_length";
    if (!wanted(G)) return;
    const int C = 9216, n = C * 256;
    Rng r(187);
    std::vector<unsigned char> x(n);
    unsigned char cur = 1;
    for (int i = 0; i < n; i++) {
        if (r.below(6) == 0) cur = (unsigned char)r.below(256);
        x[i] = cur;
    }
    auto *d = up(x);
    auto *s = dev<unsigned char>(n, false);
    auto *l = dev<unsigned short>(n, false);
    int *c = dev<int>(C, false);
    auto pre = [=] {
        CK(cudaMemset(s, 0, n));
        CK(cudaMemset(l, 0, 2 * n));
        CK(cudaMemset(c, 0, 4 * C));
    };
    auto get = [=] {
        Res a = res(c, C), b = res(s, n), e = res(l, n);
        a.insert(a.end(), b.begin(), b.end());
        a.insert(a.end(), e.begin(), e.end());
        return a;
    };
    go(
        G, "serial_thread", [=] { rle_serial<<<(C + 63) / 64, 64>>>(d, C, s, l, c); }, pre, get);
    go(
        G, "warp_ballot", [=] { rle_ballot<<<C / 4, 128>>>(d, C, s, l, c); }, pre, get);
}

// ================================================================== 18. string matching, a pattern of 12 bytes; a bit for each position
__constant__ char c_pat[12];
__constant__ u32 c_patw[3];
__global__ void str_naive(const char *text, int n, u32 *bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool ok = i + 12 <= n;
    for (int j = 0; ok && j < 12; j++)
        if (text[i + j] != c_pat[j]) ok = false;
    u32 m = __ballot_sync(FULL, ok);
    if ((threadIdx.x & 31) == 0) bits[i >> 5] = m;
}
__global__ void __launch_bounds__(256)
    str_cpasync(const char *__restrict__ text, unsigned short *__restrict__ bits) {
    __shared__ __align__(16) uint4 tile[257]; // 4096 positions and a tail of 16 bytes
    const uint4 *src = reinterpret_cast<const uint4 *>(text) + (size_t)blockIdx.x * 256;
    for (int i = threadIdx.x; i < 257; i += 256) __pipeline_memcpy_async(&tile[i], src + i, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    uint4 a = tile[threadIdx.x], b = tile[threadIdx.x + 1];
    u32 w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    u32 p0 = c_patw[0], p1 = c_patw[1], p2 = c_patw[2], m = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const int q = k >> 2, s = 8 * (k & 3);
        u32 x = __funnelshift_r(w[q], w[q + 1], s) ^ p0,
            y = __funnelshift_r(w[q + 1], w[q + 2], s) ^ p1,
            z = __funnelshift_r(w[q + 2], w[q + 3], s) ^ p2;
        if ((x | y | z) == 0) m |= 1u << k;
    }
    bits[blockIdx.x * 256 + threadIdx.x] = (unsigned short)m;
}
static void g_str() {
    const char *G = "string_match";
    if (!wanted(G)) return;
    const int n = 4 << 20;
    Rng r(198);
    std::vector<char> t(n + 64, 0);
    const char *L = "ACGT";
    char pat[13] = "ACGTTGCAACGA";
    for (int i = 0; i < n; i++) t[i] = L[r.next() & 3];
    for (int k = 0; k < 20000; k++) memcpy(&t[r.below(n - 12)], pat, 4 + r.below(9));
    u32 pw[3];
    memcpy(pw, pat, 12);
    CK(cudaMemcpyToSymbol(c_pat, pat, 12));
    CK(cudaMemcpyToSymbol(c_patw, pw, 12));
    char *d = up(t);
    u32 *o = dev<u32>(n / 32, false);
    auto pre = [=] { CK(cudaMemset(o, 0, n / 8)); };
    auto get = [=] { return res(o, n / 32); };
    go(
        G, "naive", [=] { str_naive<<<n / 256, 256>>>(d, n, o); }, pre, get);
    go(
        G, "cpasync_words", [=] { str_cpasync<<<n / 4096, 256>>>(d, (unsigned short *)o); }, pre,
        get);
}

int main() {
    g_bfs();
    g_pr();
    g_spmv();
    g_tri();
    g_cc();
    g_hins();
    g_hlook();
    g_hist();
    g_hist32k();
    g_radix();
    g_bitonic();
    g_merge();
    g_scan();
    g_tscan();
    g_compact();
    g_bs();
    g_rle();
    g_str();
    if (getenv("CHECK")) check();
    return 0;
}
