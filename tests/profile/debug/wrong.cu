// c[i] = a[i] + b[i] over a million elements, and one thread writes into the element of another:
// thread 500000 into c[960]. The debugger has to find it.
#include <cstdio>

__device__ __noinline__ float sum(float x, float y) {
    float s = x + y;
    return s;
}

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = sum(a[i], b[i]);
    c[i] = s;
    if (i == 500000)
        c[960] = s;
}

int main() {
    const int n = 1 << 20;
    float *a, *b, *c, *host = new float[n];
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, n * sizeof(float));
    add<<<n / 256, 256>>>(a, b, c, n);
    cudaMemcpy(host, c, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("c[960] = %g\n", host[960]);
}
