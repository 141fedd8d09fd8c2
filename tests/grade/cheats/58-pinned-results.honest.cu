// lab: memory-api
// expect: pass
// Results come back element by element, and the host puts them in order.
#include <cstring>
#include <cstdlib>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v, *p = (float *)malloc(bytes);
    size_t pitch;
    float *q;
    cudaMalloc(&v, bytes);
    cudaMallocPitch(&q, &pitch, 4, n);
    cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy2D(q, pitch, v, 4, 4, n, cudaMemcpyDeviceToDevice);
    cudaMemcpy2D(p, 4, q, pitch, 4, n, cudaMemcpyDeviceToHost);
    for (int i = n - 1; i >= 0; i--) out[i] = p[i];
    cudaFree(v);
    cudaFree(q);
    free(p);
}
