// Memory is freed in the order of one stream while a kernel of another may still read it: told with both sides. Where an event orders the two, nothing is.
// sim only
// finding: race
// stderr: finding: race: data race between streams: kernel unordered in stream
// stderr: and cudaFreeAsync in stream
// stderr: (frees) meet in the same bytes
// expect: ok
#include <cstdio>

__global__ void ordered(const int *p, int *to) {
    to[threadIdx.x] = p[threadIdx.x];
}

__global__ void unordered(const int *p, int *to) {
    to[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p, *q, *to;
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMalloc(&to, 256);
    cudaMallocAsync(&p, 256, a);
    cudaMallocAsync(&q, 256, a);
    cudaMemsetAsync(p, 0, 256, a);
    cudaMemsetAsync(q, 0, 256, a);
    cudaStreamSynchronize(a);
    ordered<<<1, 64, 0, b>>>(p, to);
    cudaEventRecord(e, b);
    cudaStreamWaitEvent(a, e, 0);
    cudaFreeAsync(p, a);
    unordered<<<1, 64, 0, b>>>(q, to);
    cudaFreeAsync(q, a);
    cudaDeviceSynchronize();
    cudaFree(to);
    puts("ok");
}
