// What waiting costs: a lock that blocks take one after another, a loop of compare-and-swap on one
// word, a barrier of the whole grid. An H200 takes 46 us for 64 blocks at a lock, 160 us for 32
// blocks that add 20 times each, 0.9 us a grid barrier; all within three times.
#include "../../cuda/common.h"
#include <cooperative_groups.h>
#include <functional>
namespace cg = cooperative_groups;
__global__ void lock(int *m, int *count) {
    if (threadIdx.x == 0) {
        while (atomicCAS(m, 0, 1) != 0) {
        }
        *(volatile int *)count = *(volatile int *)count + 1;
        __threadfence();
        atomicExch(m, 0);
    }
}
__global__ void swaps(int *p) {
    for (int i = 0; i < 20; i++) {
        int old = *(volatile int *)p, seen;
        do {
            seen = old;
            old = atomicCAS(p, seen, seen + 1);
        } while (old != seen);
    }
}
__global__ void barriers(int n) {
    cg::grid_group g = cg::this_grid();
    for (int i = 0; i < n; i++) g.sync();
}
static float us(std::function<void()> f) {
    cudaEvent_t a, b;
    float ms, best = 1e9f;
    CK(cudaEventCreate(&a)), CK(cudaEventCreate(&b));
    for (int i = 0; i < 3; i++) {
        CK(cudaEventRecord(a)), f(), CK(cudaEventRecord(b)), CK(cudaEventSynchronize(b));
        CK(cudaEventElapsedTime(&ms, a, b));
        if (ms * 1e3f < best) best = ms * 1e3f;
    }
    CK(cudaEventDestroy(a)), CK(cudaEventDestroy(b));
    return best;
}
static void say(const char *what, float t, float measured) {
    if (t > measured / 3 && t < measured * 3) printf("%s ok\n", what);
    else printf("%s: %.2f us, an H200 takes %.2f\n", what, t, measured);
}
int main() {
    int *d, h[65] = {0};
    CK(cudaMalloc(&d, sizeof h));
    say("lock", us([&] {
            CK(cudaMemsetAsync(d, 0, sizeof h));
            lock<<<64, 32>>>(d, d + 32);
        }) - us([&] { CK(cudaMemsetAsync(d + 40, 0, 4)); }), 45.9f);
    say("swaps", us([&] {
            CK(cudaMemsetAsync(d + 64, 0, 4));
            swaps<<<32, 1>>>(d + 64);
        }), 160);
    float t[2];
    for (int k = 0; k < 2; k++) {
        int n = 10 + 20 * k;
        void *args[] = {&n};
        t[k] = us([&] { CK(cudaLaunchCooperativeKernel((void *)barriers, 64, 128, args, 0, 0)); });
    }
    say("grid barrier", (t[1] - t[0]) / 20, 0.92f);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d %d\n", h[32], h[64]);
}
