// lab: vector-add
// expect: pass
// Finds a function of the runtime by its name.
#include <cuda_runtime.h>
#include <dlfcn.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    auto sync = (cudaError_t(*)())dlsym(RTLD_DEFAULT, "cudaDeviceSynchronize");
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    if (sync) sync();
}
