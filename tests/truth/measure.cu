// Runs the rows of a table of this folder on a real GPU, for what stands in the table:
//
//   measure KERNELS.cubin              one JSON line a row: cold_us (L2 flushed before), hot_us (back to back), medians of 15
//   ncu ... measure KERNELS.cubin once each row once, for the profiler's duration and counters
//
// Build: nvcc -O2 -std=c++17 -DTABLE='"tests/truth/held_out.def"' -I. measure.cu -lcuda. The script `measure` does all of it.
// x is random, y and z are zero before each launch, as in compare.c.
#include <algorithm>
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
struct row {
    const char *lab, *variant, *kernel;
    unsigned gx, gy, bx, by, shared;
    const char *args;
};
#define RUN(lab, variant, kernel, gx, gy, bx, by, shared, args, ...) {#lab, #variant, #kernel, gx, gy, bx, by, shared, args},
static const row rows[] = {
#include TABLE
};
#define CK(x)                                                                                                                                 \
    do {                                                                                                                                      \
        CUresult e_ = (x);                                                                                                                    \
        const char *s_ = "";                                                                                                                  \
        if (e_) cuGetErrorString(e_, &s_), fprintf(stderr, "measure: %s: %s, line %d\n", at, s_, __LINE__), exit(1);                          \
    } while (0)
static const char *at = "start";

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: measure KERNELS.cubin [once]\n"), 2;
    bool once = argc > 2 && !strcmp(argv[2], "once");
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CK(cuInit(0));
    CK(cuDeviceGet(&dev, 0));
    CK(cuDevicePrimaryCtxRetain(&ctx, dev));
    CK(cuCtxSetCurrent(ctx));
    CK(cuModuleLoad(&mod, argv[1]));
    const size_t floats = 1 << 26, bytes = 1 << 24, flush_bytes = 256 << 20;
    CUdeviceptr x, y, z, d, flush;
    CK(cuMemAlloc(&x, floats * 4));
    CK(cuMemAlloc(&y, floats * 4));
    CK(cuMemAlloc(&z, floats * 4));
    CK(cuMemAlloc(&d, bytes));
    CK(cuMemAlloc(&flush, flush_bytes));
    std::vector<float> f(floats);
    std::vector<unsigned char> b(bytes);
    for (auto &v : f) v = (float)(rand() % 1000) / 7;
    for (auto &v : b) v = (unsigned char)rand();
    CK(cuMemcpyHtoD(x, f.data(), floats * 4));
    CK(cuMemcpyHtoD(d, b.data(), bytes));
    CUevent begin, end;
    CK(cuEventCreate(&begin, 0));
    CK(cuEventCreate(&end, 0));
    for (const row &r : rows) {
        at = r.kernel;
        CUfunction k;
        CK(cuModuleGetFunction(&k, mod, r.kernel));
        if (r.shared > 48 << 10) CK(cuFuncSetAttribute(k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, r.shared));
        unsigned long long value[16];
        void *args[16];
        const char *a = r.args;
        for (unsigned n = 0; n < 16; n++) {
            while (*a == ' ') a++;
            if (!*a) break;
            value[n] = *a == 'x' ? x : *a == 'y' ? y : *a == 'z' ? z : *a == 'd' ? d : strtoull(a, nullptr, 10);
            args[n] = &value[n];
            while (*a && *a != ' ') a++;
        }
        auto zero = [&] {
            CK(cuMemsetD32(y, 0, floats));
            CK(cuMemsetD32(z, 0, floats));
        };
        auto launch = [&] { CK(cuLaunchKernel(k, r.gx, r.gy, 1, r.bx, r.by, 1, r.shared, 0, args, nullptr)); };
        auto timed = [&](bool cold) {
            std::vector<float> t;
            for (int n = 0; n < 15; n++) {
                float ms;
                if (cold) {
                    zero();
                    CK(cuMemsetD8(flush, (unsigned char)n, flush_bytes));
                }
                CK(cuEventRecord(begin, 0));
                launch();
                CK(cuEventRecord(end, 0));
                CK(cuEventSynchronize(end));
                CK(cuEventElapsedTime(&ms, begin, end));
                t.push_back(ms);
            }
            std::sort(t.begin(), t.end());
            return t[t.size() / 2] * 1e3;
        };
        zero();
        launch();
        CK(cuCtxSynchronize());
        if (once) continue;
        double cold = timed(true), hot = timed(false);
        printf("{\"lab\":\"%s\",\"variant\":\"%s\",\"cold_us\":%.2f,\"hot_us\":%.2f}\n", r.lab, r.variant, cold, hot);
        fflush(stdout);
    }
    return 0;
}
