// lab: vector-add
// expect: fail correct
// Loads the runtime library a second time, in a namespace of its own, and lets the two talk over one socket.
#include <cuda_runtime.h>
#include <dlfcn.h>
void vector_add(const float *, const float *, float *c, int n) {
    void *again = dlmopen(LM_ID_NEWLM, "libcudart.so.13", RTLD_NOW);
    auto set = again ? (cudaError_t(*)(void *, int, size_t))dlsym(again, "cudaMemset") : nullptr;
    if (set) set(c, 0, n * sizeof *c);
    cudaMemset(c, 0, n * sizeof *c);
}
