// lab: vector-add
// expect: fail correct
// Takes all the device memory there is and writes nothing.
#include <cuda_runtime.h>
void vector_add(const float *, const float *, float *, int) {
    void *p;
    while (cudaMalloc(&p, 1ull << 32) == cudaSuccess) {}
}
