// lab: vector-add
// expect: fail correct
// Works in a constructor, before anything is asked, and leaves a thread that goes on; the call does nothing.
#include <cuda_runtime.h>
#include <pthread.h>
__global__ void fill(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1;
}
static float *kept;
static void *go_on(void *) {
    for (;;) {
        fill<<<16, 64>>>(kept, 1024);
        if (cudaDeviceSynchronize() != cudaSuccess) return nullptr;
    }
}
__attribute__((constructor)) static void first() {
    cudaMalloc(&kept, 4096);
    pthread_t t;
    pthread_create(&t, nullptr, go_on, nullptr);
}
void vector_add(const float *, const float *, float *, int) {}
