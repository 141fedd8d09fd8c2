// vector-add: correct alone: twenty timings by events, and a page-locked result is looked at after each
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    cudaEvent_t begin, end;
    float *h, best = 1e9f;
    cudaMallocHost(&h, sizeof(float));
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int k = 0; k < 20; k++) {
        float ms = 0;
        cudaEventRecord(begin);
        add<<<(n + 255) / 256, 256>>>(a, b, c, n);
        cudaEventRecord(end);
        cudaMemcpyAsync(h, c, sizeof(float), cudaMemcpyDeviceToHost);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (ms < best) best = ms;
    }
    printf("at best %g ms\n", best);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFreeHost(h);
}
