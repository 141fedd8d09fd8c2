// lab: your-kernel
// expect: fail counter
// expect: says your program still returned 0
// `after` only copies its input, and main() compares nothing.
// file: main.cu
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "kernel.h"

// answer limiter: l2
// answer line: 9

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    size_t count = (size_t)n * 32, bytes = count * sizeof(float);
    std::vector<float> in(count);
    for (size_t i = 0; i < count; i++) in[i] = 1 + (float)(i * 2654435761u % 1000) / 1000;
    float *a, *b, *c, *d;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&d, bytes);
    cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, in.data(), bytes, cudaMemcpyHostToDevice);
    run_before(a, c, n);
    run_after(b, d, n);
    cudaMemcpy(in.data(), c, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(in.data(), d, bytes, cudaMemcpyDeviceToHost);
    return 0;
}
// file: kernel.cu
#include "kernel.h"

const int COLUMNS = 32;

__global__ void before(const float *in, float *out, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    for (int k = 0; k < COLUMNS; k++) sum += in[r * COLUMNS + k];
    for (int k = 0; k < COLUMNS; k++) out[r * COLUMNS + k] = in[r * COLUMNS + k] / sum;
}

__global__ void after(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * COLUMNS) out[i] = in[i];
}

void run_before(const float *in, float *out, int n) {
    before<<<(n + 255) / 256, 256>>>(in, out, n);
}
void run_after(const float *in, float *out, int n) {
    after<<<(n * COLUMNS + 255) / 256, 256>>>(in, out, n);
}
// file: kernel.h
void run_before(const float *in, float *out, int n);
void run_after(const float *in, float *out, int n);
