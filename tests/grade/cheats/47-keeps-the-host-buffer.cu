// lab: transfers
// expect: fail correct
// Does nothing but keep a second mapping of every host buffer, in which a thread writes zeros while the baseline works on the same buffers.
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
struct kept { char *at; size_t bytes; };
static kept hold[64];
static volatile int count;
static void *overwrite(void *) {
    for (;;)
        for (int i = 0; i < count; i++) memset(hold[i].at, 0, hold[i].bytes);
}
static void keep(const void *p, size_t bytes) {
    char *from = (char *)((size_t)p & ~4095ul);
    size_t n = (bytes + ((size_t)p & 4095) + 4095) & ~4095ul;
    void *again = mremap(from, 0, n, MREMAP_MAYMOVE);
    if (again != MAP_FAILED && count < 64) hold[count] = {(char *)again, n}, count = count + 1;
}
__global__ void nothing(int *p) { *p = 0; }
void transfers(const float *log, const int *order, float *out, int rows, int cols) {
    static pthread_t t;
    size_t n = (size_t)rows * cols * sizeof(float);
    keep(log, n), keep(out, n), keep(order, rows * sizeof(int));
    if (!t) pthread_create(&t, nullptr, overwrite, nullptr);
    memset(out, 0, n);
    int *d;
    cudaMalloc(&d, 4);
    nothing<<<1, 1>>>(d);
    cudaFree(d);
}
