// What a pair of events adds to the kernel between them, and what L2's changed lines cost whoever comes next. Run on a GPU it writes h200.events.jsonl:
//   idle, busy     an empty kernel between two events: on an idle device; behind a kernel of 200 us, so that the host is ahead
//   clean, dirty   a kernel that reads MB megabytes, between two events, after 256 MB were read and after they were written by cudaMemset
//   read, copied   the same for a copy of MB megabytes
// Medians of 31 in us, or of REPS; a simulated device needs one: REPS=1 warplab profile --device sim:h200 tests/truth/events.cu
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_) {                                                                                  \
            fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_));                               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
__global__ void empty() {}
__global__ void spin(long long ns) {
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}
__global__ void sum(const float4 *p, size_t n, float *out) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float4 v = p[i];
        s += v.x + v.y + v.z + v.w;
    }
    if (s == 1234.5f) *out = s;
}
__global__ void copy(const float4 *p, float4 *to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = p[i];
}
static cudaEvent_t a, b;
static const size_t flush = 256u << 20;
static char *large;
static float *out;
template <class F, class G> static double median(F before, G kernel) {
    std::vector<float> us;
    int reps = getenv("REPS") ? atoi(getenv("REPS")) : 31, first = reps > 1 ? 3 : 1;
    for (int k = 0; k < first + reps; k++) {
        float ms;
        before();
        cudaEventRecord(a);
        kernel();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        if (k >= first) us.push_back(ms * 1000);
    }
    std::sort(us.begin(), us.end());
    return us[us.size() / 2];
}
int main() {
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaMalloc(&large, flush));
    CHECK(cudaMalloc(&out, 4));
    float4 *from, *to;
    CHECK(cudaMalloc(&from, 64u << 20));
    CHECK(cudaMalloc(&to, 64u << 20));
    CHECK(cudaMemset(from, 0, 64u << 20));
    auto one = [] { empty<<<1, 32>>>(); };
    auto none = [] {};
    printf("{\"events\":\"idle\",\"us\":%.2f}\n", median([] { cudaDeviceSynchronize(); }, one));
    printf("{\"events\":\"idle_pair\",\"us\":%.2f}\n",
           median([] { cudaDeviceSynchronize(); }, none));
    printf("{\"events\":\"busy\",\"us\":%.2f}\n", median([] { spin<<<1, 1>>>(200000); }, one));
    printf("{\"events\":\"busy_pair\",\"us\":%.2f}\n",
           median([] { spin<<<1, 1>>>(200000); }, none));
    printf("{\"events\":\"memset\",\"us\":%.2f}\n",
           median([] { cudaMemset(large, 1, flush); }, one));
    for (int mb : {1, 2, 4, 8, 16, 32, 64}) {
        size_t n = ((size_t)mb << 20) / 16;
        auto clean = [] {
            sum<<<1056, 256>>>((const float4 *)large, flush / 16, out), spin<<<1, 1>>>(20000);
        };
        auto dirty = [] { cudaMemset(large, 1, flush), spin<<<1, 1>>>(20000); };
        auto reads = [=] { sum<<<1056, 256>>>(from, n, out); };
        auto copies = [=] { copy<<<1056, 256>>>(from, to, n); };
        printf(
            "{\"events\":\"read\",\"MB\":%d,\"clean_us\":%.2f,\"dirty_us\":%.2f,\"hot_us\":%.2f}\n",
            mb, median(clean, reads), median(dirty, reads),
            median([] { spin<<<1, 1>>>(20000); }, reads));
        printf(
            "{\"events\":\"copy\",\"MB\":%d,\"clean_us\":%.2f,\"dirty_us\":%.2f,\"hot_us\":%.2f}\n",
            mb, median(clean, copies), median(dirty, copies),
            median([] { spin<<<1, 1>>>(20000); }, copies));
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
