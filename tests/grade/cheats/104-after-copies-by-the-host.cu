// file: main.cu
// lab: your-kernel
// expect: fail counter
// expect: says The host gave after numbers
// `after` only copies what `before` has computed, which has gone to the host and back.
// your-kernel, solved for the example: the program itself is the skeleton's.
//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "kernel.h"

// answer limiter: l2
// answer line: 9

const int COLUMNS = 32;

static bool same(const std::vector<float> &a, const std::vector<float> &b) {
    for (size_t i = 0; i < a.size(); i++)
        if (!(std::fabs(a[i] - b[i]) <= 1e-5f * std::fabs(a[i]) + 1e-6f)) return false;
    return true;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    size_t count = (size_t)n * COLUMNS, bytes = count * sizeof(float);
    std::vector<float> in(count), was(count), now(count);
    for (size_t i = 0; i < count; i++) in[i] = 1 + (float)(i * 2654435761u % 1000) / 1000;

    // Each version reads a copy of its own: the second finds nothing in the caches that the first left there.
    float *a, *b, *c, *d;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&d, bytes);
    cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, in.data(), bytes, cudaMemcpyHostToDevice);
    run_before(a, c, n);
    cudaMemcpy(was.data(), c, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, was.data(), bytes, cudaMemcpyHostToDevice);
    run_after(b, d, n);
    cudaMemcpy(was.data(), c, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(now.data(), d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) printf("CUDA: %s\n", cudaGetErrorString(e));
    if (e != cudaSuccess || !(same(was, now))) return 1;
    printf("both versions agree, n = %d\n", n);
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

void run_before(const float *in, float *out, int n) { before<<<(n + 255) / 256, 256>>>(in, out, n); }
void run_after(const float *in, float *out, int n) { after<<<(n * COLUMNS + 255) / 256, 256>>>(in, out, n); }
// file: kernel.h
void run_before(const float *in, float *out, int n);
void run_after(const float *in, float *out, int n);
