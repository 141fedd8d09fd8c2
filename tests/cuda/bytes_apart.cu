// Threads of all blocks that use neighbouring bytes of one word, in every way: no race.
// expect: 12288 bytes, 0 wrong
// expect: 256 counts, 0 wrong
#include "common.h"
enum { N = 4096 };
__global__ void pixels(const unsigned char *gray, unsigned char *rgb, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 3; k++) rgb[3 * i + k] = gray[i] + k;
}
// Each block writes every fourth byte, as columns that blocks share.
__global__ void columns(unsigned char *q, int n) {
    for (int i = threadIdx.x; 4 * i + blockIdx.x < n; i += blockDim.x) q[4 * i + blockIdx.x] = i;
}
// Each thread counts one value, in a byte of its own.
__global__ void count(const unsigned char *in, unsigned char *bins, int n) {
    int mine = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++)
        if (in[i] == mine) bins[mine]++;
}
__global__ void sum_of_three(const unsigned char *in, short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 2 < n) out[i] = in[i] + in[i + 1] + in[i + 2];
}
// Two threads write the same value to one byte.
__global__ void flags(unsigned char *q, const unsigned char *gray) {
    if (gray[threadIdx.x] < 255) q[threadIdx.x / 2] = 1;
}
int main() {
    static unsigned char host[3 * N], bins[256];
    unsigned char *gray, *rgb;
    short *sums;
    int wrong = 0;
    CK(cudaMalloc(&gray, N)), CK(cudaMalloc(&rgb, 3 * N)), CK(cudaMalloc(&sums, N * sizeof *sums));
    CK(cudaMemset(rgb, 0, 3 * N));
    columns<<<4, 96>>>(gray, N);
    pixels<<<N / 96 + 1, 96>>>(gray, rgb, N);
    sum_of_three<<<N / 128, 128>>>(gray, sums, N);
    CK(cudaMemcpy(host, rgb, 3 * N, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3 * N; i++) wrong += host[i] != (unsigned char)(i / 12 + i % 3);
    printf("%d bytes, %d wrong\n", 3 * N, wrong);
    CK(cudaMemset(rgb, 0, 512));
    count<<<2, 128>>>(gray, rgb, 1024);
    flags<<<1, 64>>>(rgb + 256, gray);
    CK(cudaMemcpy(bins, rgb, 256, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 256; i++) wrong += bins[i] != 4;
    printf("256 counts, %d wrong\n", wrong);
    cudaFree(gray), cudaFree(rgb), cudaFree(sums);
}
