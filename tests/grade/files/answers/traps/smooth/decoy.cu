// expect: fail counter gld_requests
// expect: met correct
// The kernel that counts is for show: another one computes the results once more.
// kind: cheat
// file: main.cu
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>
#include "smooth.h"

// answer line: smooth.cu, line 7
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    double scale = atof(argv[2]);
    std::vector<float> x(n), y(n);
    for (float &v : x)
        if (!(std::cin >> v)) return 2;
    float *d, *e;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&e, n * sizeof(float));
    cudaMemcpy(d, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    once<<<(n + 255) / 256, 256>>>(d, e, n, (float)scale);
    smooth(d, e, n, (float)scale);
    cudaMemcpy(y.data(), e, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    std::cout << "the result, " << n << " numbers:" << std::endl;
    for (float v : y) printf("%.9g\n", v);
    printf("%d\n", n);
}
// file: smooth.cu
#include "smooth.h"

// One load a thread.
// zh: 每个线程读一次。
__global__ void once(const float *x, float *y, int n, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[(i + 1) % n] + x[(i + n - 1) % n];
}

__global__ void twice(const float *x, float *y, int n, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * scale + 1;
}

static __global__ void again(const float *x, float *y, int n, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * scale + 1 + x[(i + 2) % n] * 0;
}

void smooth(const float *x, float *y, int n, float scale) {
    twice<<<(n + 255) / 256, 256>>>(x, y, n, scale);
    again<<<(n + 255) / 256, 256>>>(x, y, n, scale);
}
// file: smooth.h
#include <cuda_runtime.h>

__global__ void once(const float *x, float *y, int n, float scale);
void smooth(const float *x, float *y, int n, float scale);
