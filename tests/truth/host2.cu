// What the host and the device do together: managed memory, zero-copy, graphs, pools, small kernels side by side. Wall-clock microseconds, the median of
// REPS (9), one JSON line each; h200.host2.jsonl is what an H200 and its host gave. `make model` puts both into docs/model-tables.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void wall(const char *lab, const char *variant, std::function<void()> f, std::function<void()> before = [] {}) {
    int reps = getenv("REPS") ? atoi(getenv("REPS")) : 9;
    std::vector<double> t;
    for (int i = -1; i < reps; i++) {
        before();
        cudaDeviceSynchronize();
        double a = now();
        f();
        cudaDeviceSynchronize();
        if (i >= 0) t.push_back((now() - a) * 1e6);
    }
    std::sort(t.begin(), t.end());
    cudaError_t e = cudaGetLastError();
    if (e) printf("# %s %s: %s\n", lab, variant, cudaGetErrorString(e));
    else printf("{\"lab\":\"%s\",\"variant\":\"%s\",\"wall_us\":%.1f}\n", lab, variant, t[t.size() / 2]);
}

__global__ void touch(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < rounds; k++) v = v * 1.0001f + .5f;
    x[i] = v;
}
__global__ void sum(const float *x, float *o, int n) {
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

const int N = 1 << 24;
const size_t BYTES = 4ul * N;
static cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
static float *d, *o;

static void managed() {
    float *m;
    cudaMallocManaged(&m, BYTES);
    memset(m, 0, BYTES);
    auto home = [&] { cudaMemPrefetchAsync(m, BYTES, host, 0, 0); };
    auto there = [&] { cudaMemPrefetchAsync(m, BYTES, device, 0, 0); };
    auto kernel = [&] { touch<<<N / 256, 256>>>(m, N, 1); };
    wall("managed", "fault_64MB", kernel, home);
    wall("managed", "prefetch_64MB", [&] { there(), kernel(); }, home);
    wall("managed", "resident", kernel, there);
    wall("managed", "prefetch_back", home, there);
    wall("managed", "host_touches_back", [&] { for (int i = 0; i < N; i += 1024) m[i] += 1; }, there);
    wall("managed", "ping_pong_1MB_x8", [&] {
        for (int k = 0; k < 8; k++) {
            touch<<<1024, 256>>>(m, 1 << 18, 1);
            cudaDeviceSynchronize();
            for (int i = 0; i < 1 << 18; i += 1024) m[i] += 1;
        }
    }, home);
    cudaMemAdvise(m, BYTES, cudaMemAdviseSetReadMostly, device);
    wall("managed", "read_mostly_first", [&] { sum<<<1024, 256>>>(m, o, N); }, home);
    cudaMemAdvise(m, BYTES, cudaMemAdviseUnsetReadMostly, device);
    cudaMemAdvise(m, BYTES, cudaMemAdviseSetPreferredLocation, host);
    cudaMemAdvise(m, BYTES, cudaMemAdviseSetAccessedBy, device);
    wall("managed", "accessed_by_stays_home", [&] { sum<<<1024, 256>>>(m, o, N); }, home);
    cudaFree(m);
}

static void mapped() {
    float *z;
    cudaHostAlloc(&z, BYTES, cudaHostAllocMapped);
    memset(z, 0, BYTES);
    wall("zero", "read_once", [&] { sum<<<1024, 256>>>(z, o, N); });
    wall("zero", "copy_then_one", [&] {
        cudaMemcpyAsync(d, z, BYTES, cudaMemcpyHostToDevice);
        sum<<<1024, 256>>>(d, o, N);
    });
    cudaFreeHost(z);
}

static void graphs(int n) {
    char graph[40], chain[40];
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    snprintf(graph, sizeof graph, "graph_chain_%d", n), snprintf(chain, sizeof chain, "launch_chain_%d", n);
    auto launches = [&] { for (int i = 0; i < n; i++) touch<<<1, 256, 0, s>>>(d, 256, 1); };
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    launches();
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    wall("graph", graph, [&] { cudaGraphLaunch(x, s); });
    wall("graph", chain, launches);
    cudaStreamDestroy(s);
}

static void pools() {
    auto pool = [] {
        for (int i = 0; i < 20; i++) {
            float *p;
            cudaMallocAsync(&p, 64 << 20, 0), cudaFreeAsync(p, 0);
        }
    };
    wall("churn2", "malloc_64MB_x20", [] {
        for (int i = 0; i < 20; i++) {
            float *p;
            cudaMalloc(&p, 64 << 20), cudaFree(p);
        }
    });
    wall("churn2", "mallocAsync_64MB_x20", pool);
    cudaMemPool_t p;
    uint64_t keep = ~0ull;
    cudaDeviceGetDefaultMemPool(&p, 0);
    cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold, &keep);
    wall("churn2", "mallocAsync_kept_pool", pool);
}

int main() {
    cudaMalloc(&d, BYTES), cudaMalloc(&o, 4 << 20);
    cudaMemset(d, 0, BYTES);
    managed();
    mapped();
    graphs(8), graphs(32);
    pools();
}
