// A program's own clocks show the device: pairs of host habits, timed with the host's clocks, come in the order that a real GPU gives.
// default checks
// gpu limit: what runs side by side in streams is timed one after the other
// expect: pinned copies are faster to the device: 1
// expect: pinned copies are faster from the device: 1
// expect: one copy is faster than many: 1
// expect: two streams are faster than one: 1
// expect: four streams are faster than two: 1
// expect: allocating once is faster than each time: 1
// expect: a pool is faster than allocating each time: 1
// expect: one launch is faster than many: 1
// expect: mapped memory is faster than copying there and back for one pass: 1
// expect: small kernels run side by side in streams: 1
// expect: clock() and gettimeofday() agree with steady_clock: 1 1
#include "common.h"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <sys/time.h>
__global__ void work(float *x, int n, int it) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < it; k++) v = v * 1.0001f + 0.5f;
    x[i] = v;
}
static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static double wall(std::function<void()> f) { // the best of seven: the machine has company
    double best = 1e9;
    f();
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 7; i++) {
        double a = now();
        f();
        CK(cudaDeviceSynchronize());
        best = std::min(best, now() - a);
    }
    return best;
}
int main() {
    const int N = 1 << 20;
    float *page = (float *)calloc(N, 4), *pin, *d, *m, *md;
    CK(cudaMallocHost(&pin, N * 4));
    CK(cudaMalloc(&d, N * 4));
    CK(cudaMemset(d, 0, N * 4));
    double a, b, c;
    auto copy = [&](void *to, void *from, cudaMemcpyKind k) { return wall([=] { CK(cudaMemcpy(to, from, N * 4, k)); }); };
    a = copy(d, page, cudaMemcpyHostToDevice), b = copy(d, pin, cudaMemcpyHostToDevice);
    printf("pinned copies are faster to the device: %d\n", b * 2 < a);
    a = copy(page, d, cudaMemcpyDeviceToHost), b = copy(pin, d, cudaMemcpyDeviceToHost);
    printf("pinned copies are faster from the device: %d\n", b * 2 < a);
    a = wall([&] { for (int i = 0; i < 256; i++) CK(cudaMemcpy(d + i * 1024, pin + i * 1024, 4096, cudaMemcpyHostToDevice)); });
    b = wall([&] { CK(cudaMemcpy(d, pin, 256 * 4096, cudaMemcpyHostToDevice)); });
    printf("one copy is faster than many: %d\n", b * 10 < a);
    cudaStream_t s[8];
    for (auto &q : s) CK(cudaStreamCreate(&q));
    // Four megabytes are too little for four streams to pay for their launches.
    CK(cudaFree(d));
    CK(cudaFreeHost(pin));
    const int M = 1 << 22;
    CK(cudaMallocHost(&pin, M * 4));
    CK(cudaMalloc(&d, M * 4));
    auto chunks = [&](int k) {
        return wall([=] {
            int n = M / k;
            for (int j = 0; j < k; j++) {
                cudaStream_t q = k > 1 ? s[j] : nullptr;
                CK(cudaMemcpyAsync(d + j * n, pin + j * n, n * 4, cudaMemcpyHostToDevice, q));
                work<<<n / 256, 256, 0, q>>>(d + j * n, n, 1);
                CK(cudaMemcpyAsync(pin + j * n, d + j * n, n * 4, cudaMemcpyDeviceToHost, q));
            }
        });
    };
    a = chunks(1), b = chunks(2), c = chunks(4);
    printf("two streams are faster than one: %d\n", b * 1.1 < a);
    printf("four streams are faster than two: %d\n", c < b);
    a = wall([&] {
        for (int i = 0; i < 20; i++) {
            float *p;
            CK(cudaMalloc(&p, 1 << 16));
            CK(cudaMemsetAsync(p, 0, 1 << 16));
            work<<<64, 256>>>(p, 1 << 14, 4);
            CK(cudaFree(p));
        }
    });
    b = wall([&] {
        float *p;
        CK(cudaMalloc(&p, 1 << 16));
        for (int i = 0; i < 20; i++) {
            CK(cudaMemsetAsync(p, 0, 1 << 16));
            work<<<64, 256>>>(p, 1 << 14, 4);
        }
        CK(cudaFree(p));
    });
    c = wall([&] {
        for (int i = 0; i < 20; i++) {
            float *p;
            CK(cudaMallocAsync(&p, 1 << 16, 0));
            CK(cudaMemsetAsync(p, 0, 1 << 16));
            work<<<64, 256>>>(p, 1 << 14, 4);
            CK(cudaFreeAsync(p, 0));
        }
    });
    printf("allocating once is faster than each time: %d\n", b * 3 < a);
    printf("a pool is faster than allocating each time: %d\n", c * 3 < a);
    a = wall([&] { for (int i = 0; i < 100; i++) work<<<1, 256>>>(d, 256, 1); });
    b = wall([&] { work<<<100, 256>>>(d, 25600, 1); });
    printf("one launch is faster than many: %d\n", b * 5 < a);
    CK(cudaHostAlloc(&m, M * 4, cudaHostAllocMapped));
    CK(cudaHostGetDevicePointer(&md, m, 0));
    a = wall([&] {
        CK(cudaMemcpyAsync(d, pin, M * 4, cudaMemcpyHostToDevice));
        work<<<M / 256, 256>>>(d, M, 1);
        CK(cudaMemcpyAsync(pin, d, M * 4, cudaMemcpyDeviceToHost));
    });
    b = wall([&] { work<<<M / 256, 256>>>(md, M, 1); });
    // Each byte crosses the link once each way, both ways at once: half the time of two copies, not none.
    printf("mapped memory is faster than copying there and back for one pass: %d\n", b < a && b > a / 3);
    a = wall([&] { for (int i = 0; i < 8; i++) work<<<8, 256>>>(d + i * 2048, 2048, 8000); });
    b = wall([&] { for (int i = 0; i < 8; i++) work<<<8, 256, 0, s[i]>>>(d + i * 2048, 2048, 8000); });
    printf("small kernels run side by side in streams: %d\n", b * 2 < a);
    timeval t, u;
    clock_t k = clock();
    gettimeofday(&t, nullptr);
    a = now();
    for (int i = 0; i < 20; i++) CK(cudaMemcpy(page, d, N * 4, cudaMemcpyDeviceToHost));
    a = now() - a;
    gettimeofday(&u, nullptr);
    b = (u.tv_sec - t.tv_sec) + (u.tv_usec - t.tv_usec) * 1e-6, c = (clock() - k) / (double)CLOCKS_PER_SEC;
    printf("clock() and gettimeofday() agree with steady_clock: %d %d\n", c > 0.5 * a && c < 2 * a, b > 0.7 * a && b < 1.5 * a);
    CK(cudaFree(d));
}
