// When the heap of device malloc() may change its size, as an H200 answers (CUDA 13.0, driver 580.159): until a kernel has called malloc(), then no more, not even to
// the same size. The stack may change at any time.
// fast
// expect: before: cudaSuccess 33554432
// expect: again: cudaSuccess 16777216
// expect: after: cudaErrorInvalidValue 16777216
// expect: same: cudaErrorInvalidValue 16777216
// expect: smaller: cudaErrorInvalidValue 16777216
// expect: got it, got it
// expect: stack: cudaSuccess
#include "common.h"
__global__ void take(bool *got) {
    void *p = malloc(12 << 20);
    *got = p != NULL;
    free(p);
}
static void set(const char *when, size_t bytes) {
    size_t now;
    cudaError_t e = cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes);
    CK(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize));
    printf("%s: %s %zu\n", when, cudaGetErrorName(e), now);
}
static const char *taken(bool *d) {
    bool got;
    take<<<1, 1>>>(d);
    CK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
    return got ? "got it" : "no room";
}
int main() {
    bool *d;
    CK(cudaMalloc(&d, sizeof *d));
    set("before", 32 << 20);
    set("again", 16 << 20);
    const char *first = taken(d);
    set("after", 64 << 20);
    set("same", 16 << 20);
    set("smaller", 4 << 20);
    printf("%s, %s\n", first, taken(d));
    printf("stack: %s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitStackSize, 4096)));
}
