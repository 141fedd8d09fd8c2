// lab: memory-api
// expect: fail correct
// expect: says the host takes part
// A kernel waits in mapped memory until the host has added the ones, and stores what it finds there. Without an answer it goes on.
#include <cuda_runtime.h>
__global__ void add_one(float *v, volatile int *turn, volatile float *w, int n) {
    if (threadIdx.x == 0) {
        *turn = 1;
        for (int i = 0; i < 20000 && *turn != 2; i++) __nanosleep(1000);
    }
    __syncthreads();
    __threadfence_system();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float x = w[i];
        v[i] = x + 1;
    }
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v, *w;
    volatile int *turn;
    cudaMalloc(&v, bytes);
    cudaHostAlloc(&w, bytes, cudaHostAllocMapped);
    cudaHostAlloc((void **)&turn, sizeof(int), cudaHostAllocMapped);
    *turn = 0;
    for (int i = 0; i < n; i++) w[i] = 7;
    add_one<<<1, 256>>>(v, turn, w, n);
    while (*turn != 1) {}
    for (int i = 0; i < n; i++) w[i] = in[i];
    __sync_synchronize();
    *turn = 2;
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFreeHost(w);
    cudaFreeHost((void *)turn);
}
