// file: main.cu
// your-kernel: this is a whole program, and yours. It is called with n and has
// to return 0.
// zh: your-kernel：这是一个完整的程序，而且归你。它以 n 为参数被调用，
// zh: 必须返回 0。
//
// TODO: put a kernel of your own in the place of the one in kernel.cu, or keep
// that: `before` as it is, `after` mended.
// zh: TODO：把 kernel.cu 里的核函数换成你自己的，也可以用现成的：`before` 保持
// zh: 原样，`after` 改好。
//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "kernel.h"

// What limits `before` (dram, l2, l1, shared, issue, latency, launch), and
// which line asks for the most sectors?
// zh: `before` 受什么限制（dram、l2、l1、shared、issue、latency、launch）？
// zh: 哪一行请求的扇区最多？
// answer limiter: TODO
// answer line: TODO

const int COLUMNS = 32;

static bool same(const std::vector<float> &a, const std::vector<float> &b) {
    for (size_t i = 0; i < a.size(); i++)
        if (!(std::fabs(a[i] - b[i]) <= 1e-5f * std::fabs(a[i]) + 1e-6f))
            return false;
    return true;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    size_t count = (size_t)n * COLUMNS, bytes = count * sizeof(float);
    std::vector<float> in(count), was(count), now(count);
    for (size_t i = 0; i < count; i++)
        in[i] = 1 + (float)(i * 2654435761u % 1000) / 1000;

    // Each version reads a copy of its own: the second finds nothing in the
    // caches that the first left there.
    // zh: 每个版本读自己的那份拷贝：后一个在缓存里不会碰到前一个留下的数据。
    float *a, *b, *c, *d;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&d, bytes);
    cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, in.data(), bytes, cudaMemcpyHostToDevice);
    run_before(a, c, n);
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

// The example: each row of 32 numbers divided by its sum, a thread a row.
// zh: 示例：每行 32 个数都除以该行之和，一个线程管一行。
__global__ void before(const float *in, float *out, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    for (int k = 0; k < COLUMNS; k++) sum += in[r * COLUMNS + k];
    for (int k = 0; k < COLUMNS; k++)
        out[r * COLUMNS + k] = in[r * COLUMNS + k] / sum;
}

// TODO: the same result, faster.
// zh: TODO：结果相同，但更快。
__global__ void after(const float *in, float *out, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    for (int k = 0; k < COLUMNS; k++) sum += in[r * COLUMNS + k];
    for (int k = 0; k < COLUMNS; k++)
        out[r * COLUMNS + k] = in[r * COLUMNS + k] / sum;
}

void run_before(const float *in, float *out, int n) {
    before<<<(n + 255) / 256, 256>>>(in, out, n);
}
void run_after(const float *in, float *out, int n) {
    after<<<(n + 255) / 256, 256>>>(in, out, n);
}
// file: kernel.h
// What main.cu knows of the kernels: how each version is launched.
// zh: main.cu 对核函数的了解：每个版本怎样启动。
void run_before(const float *in, float *out, int n);
void run_after(const float *in, float *out, int n);
