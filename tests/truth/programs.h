// Times a launch on a GPU: the median of 15, hot (back to back) and cold (after a cudaMemset of
// 256 MB, which fills L2), each between two events.
//   GROUPS=a,b   only these groups
//   ONCE=1       each launch once, behind a launch of bench_mark(), for profilers; L2 then holds
//                what another kernel read
//   SIM=1        each launch once cold and once hot, by events: what modelled times need
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <string>
#include <vector>
#define CK(x)                                                                                      \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_ != cudaSuccess) {                                                                   \
            printf("{\"error\":\"%s at %s:%d\"}\n", cudaGetErrorString(e_), __FILE__, __LINE__);   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
static void *flush_buf = nullptr;
static const size_t flush_sz = 256u << 20;
__global__ void bench_mark() {}
__global__ void bench_read(const float4 *p, size_t n, float *out) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        s += p[i].x;
    if (s == 1234.5f) *out = s;
}
static float med(std::vector<float> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
static bool wanted(const char *group) {
    const char *l = getenv("GROUPS");
    return !l ||
           ("," + std::string(l) + ",").find("," + std::string(group) + ",") != std::string::npos;
}
static void bench(const char *group, const char *variant, std::function<void()> f, double = 0,
                  double = 0, int reps = 15) {
    if (!wanted(group)) return;
    if (!flush_buf) CK(cudaMalloc(&flush_buf, flush_sz));
    if (getenv("ONCE")) {
        printf("{\"once\":\"%s/%s\"}\n", group, variant);
        fflush(stdout);
        bench_read<<<1056, 256>>>((const float4 *)flush_buf, flush_sz / 32, (float *)flush_buf);
        bench_mark<<<1, 1>>>();
        f();
        CK(cudaDeviceSynchronize());
        return;
    }
    cudaEvent_t a, b;
    CK(cudaEventCreate(&a));
    CK(cudaEventCreate(&b));
    std::vector<float> us[2];
    int first = getenv("SIM") ? 0 : 3;
    for (int i = 0; i < first; i++) f();
    CK(cudaDeviceSynchronize());
    for (int cold = 1; cold >= 0; cold--)
        for (int i = 0; i < (first ? reps : 1); i++) {
            float ms;
            if (cold) CK(cudaMemset(flush_buf, i + 1, flush_sz));
            CK(cudaEventRecord(a));
            f();
            CK(cudaEventRecord(b));
            CK(cudaEventSynchronize(b));
            CK(cudaEventElapsedTime(&ms, a, b));
            us[cold].push_back(ms * 1e3f);
        }
    CK(cudaGetLastError());
    printf("{\"group\":\"%s\",\"variant\":\"%s\",\"hot_us\":%.2f,\"cold_us\":%.2f}\n", group,
           variant, med(us[0]), med(us[1]));
    fflush(stdout);
    CK(cudaEventDestroy(a));
    CK(cudaEventDestroy(b));
}
template <class T> static T *dev(size_t n, bool rnd = true) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    if (rnd) {
        std::vector<T> h(n);
        for (size_t i = 0; i < n; i++) h[i] = (T)(rand() % 1000) / (T)7;
        CK(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    } else CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
