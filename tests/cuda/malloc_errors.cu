// What allocation refuses and takes.
// fast
// expect: too much cudaErrorMemoryAllocation
// expect: still usable cudaSuccess
// expect: nothing cudaSuccess (nil)
// expect: no place for it cudaErrorInvalidValue
// expect: not a base cudaErrorInvalidValue
// expect: host memory cudaErrorInvalidValue
// expect: null cudaSuccess
// expect: aligned 1
#include "common.h"
#define SAY(what, e) printf("%s %s\n", what, cudaGetErrorName(e))
int main() {
    char *p, *q, h;
    SAY("too much", cudaMalloc(&p, (size_t)1 << 50));
    SAY("still usable", cudaMalloc(&p, 1000));
    q = (char *)1;
    cudaError_t e = cudaMalloc(&q, 0);
    printf("nothing %s %p\n", cudaGetErrorName(e), q);
    SAY("no place for it", cudaMalloc((void **)NULL, 4));
    SAY("not a base", cudaFree(p + 1));
    SAY("host memory", cudaFree(&h));
    SAY("null", cudaFree(NULL));
    printf("aligned %d\n", (size_t)p % 256 == 0);
    CK(cudaFree(p));
}
