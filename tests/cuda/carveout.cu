// Preferred carve-outs of shared memory: what they leave room for, with shared memory and without; the constants of a module. All as an H200 with CUDA 13.0
// does. Launches go by it, too, if they have shared memory: sixteen blocks a multiprocessor take three times as long at a quarter.
// device: sim:h200
// expect: constants 464
// expect: carve -1: 13 12 9 0 0 13 12 9 0 0 8 8 8 0 0 got -1
// expect: carve 0: 1 1 1 0 0 1 1 1 0 0 1 1 1 0 0 got 0
// expect: carve 1: 1 1 1 0 0 1 1 1 0 0 1 1 1 0 0 got 1
// expect: carve 5: 1 1 1 0 0 1 1 1 0 0 1 1 1 0 0 got 5
// expect: carve 10: 1 1 1 0 0 1 1 1 0 0 1 1 1 0 0 got 10
// expect: carve 25: 3 3 2 0 0 3 3 2 0 0 3 3 2 0 0 got 25
// expect: carve 26: 3 3 2 0 0 3 3 2 0 0 3 3 2 0 0 got 26
// expect: carve 50: 7 7 5 0 0 7 7 5 0 0 7 7 5 0 0 got 50
// expect: carve 75: 11 10 7 0 0 11 10 7 0 0 8 8 7 0 0 got 75
// expect: carve 99: 13 12 9 0 0 13 12 9 0 0 8 8 8 0 0 got 99
// expect: carve 100: 13 12 9 0 0 13 12 9 0 0 8 8 8 0 0 got 100
// expect: constants 464
// expect: carve -1: 32 32 25 6 4 32 32 25 6 4 8 8 8 6 4 got -1
// expect: carve 0: 8 4 1 1 1 8 4 1 1 1 8 4 1 1 1 got 0
// expect: carve 1: 8 4 1 1 1 8 4 1 1 1 8 4 1 1 1 got 1
// expect: carve 5: 16 8 1 1 1 16 8 1 1 1 8 8 1 1 1 got 5
// expect: carve 10: 32 16 3 1 1 32 16 3 1 1 8 8 3 1 1 got 10
// expect: carve 25: 32 32 7 1 1 32 32 7 1 1 8 8 7 1 1 got 25
// expect: carve 26: 32 32 7 1 1 32 32 7 1 1 8 8 7 1 1 got 26
// expect: carve 50: 32 32 14 3 2 32 32 14 3 2 8 8 8 3 2 got 50
// expect: carve 75: 32 32 21 5 4 32 32 21 5 4 8 8 8 5 4 got 75
// expect: carve 99: 32 32 25 6 4 32 32 25 6 4 8 8 8 6 4 got 99
// expect: carve 100: 32 32 25 6 4 32 32 25 6 4 8 8 8 6 4 got 100
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: at a quarter about 3 times, at none about 8 times: 1 1
// expect: without shared memory at none as fast: 1
// expect: cooperative at none: 8 cudaSuccess, 9 cudaErrorCooperativeLaunchTooLarge
#include <cstdio>
#include <cuda_runtime.h>
__constant__ int c1[101];
__constant__ double c2[7];
__global__ void fixed(float *p) {
    __shared__ float s[4096];
    s[threadIdx.x] = p[threadIdx.x] + c1[3];
    __syncthreads();
    p[threadIdx.x] = s[255 - threadIdx.x] + (float)c2[2];
}
extern __shared__ float some[];
__global__ void asked(float *p) {
    some[threadIdx.x] = *p;
    __syncthreads();
    *p = some[0];
}
__global__ void spin(long long n, float *to) {
    __shared__ float s[4096];
    s[threadIdx.x] = (float)n;
    __syncthreads();
    long long begin = clock64();
    while (clock64() - begin < n) {}
    if (to) *to = s[63 - threadIdx.x];
}
__global__ void plain(long long n, float *to) {
    long long begin = clock64();
    while (clock64() - begin < n) {}
    if (to) *to = 1;
}
static float took(void (*kernel)(long long, float *), int blocks, int threads, int percent) {
    cudaEvent_t a, b;
    float least = 1e9f, ms;
    cudaEventCreate(&a), cudaEventCreate(&b);
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    for (int k = 0; k < 3; k++) { // a real one may have been asleep
        cudaEventRecord(a);
        kernel<<<132 * blocks, threads>>>(50000, nullptr);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        least = ms < least ? ms : least;
    }
    return least;
}
int main() {
    const void *kernels[] = {(void *)fixed, (void *)asked};
    static const int percents[] = {-1, 0, 1, 5, 10, 25, 26, 50, 75, 99, 100};
    for (const void *k : kernels) {
        cudaFuncAttributes a;
        cudaFuncGetAttributes(&a, k);
        printf("constants %zu\n", a.constSizeBytes);
        for (int percent : percents) {
            cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
            printf("carve %d:", percent);
            for (int threads : {32, 64, 256})
                for (int bytes : {0, 1000, 8192, 33000, 48000}) {
                    int n = -1;
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, threads, bytes);
                    printf(" %d", n);
                }
            cudaFuncGetAttributes(&a, k);
            printf(" got %d\n", a.preferredShmemCarveout);
        }
    }
    for (int percent : {-2, 101}) printf("%s\n", cudaGetErrorName(cudaFuncSetAttribute(fixed, cudaFuncAttributePreferredSharedMemoryCarveout, percent)));
    took(spin, 16, 64, -1);
    float whole = took(spin, 16, 64, 100), quarter = took(spin, 16, 64, 25), none = took(spin, 16, 64, 0);
    printf("at a quarter about 3 times, at none about 8 times: %d %d\n", quarter > 2.5f * whole && quarter < 3.5f * whole, none > 6 * whole && none < 9 * whole);
    took(plain, 32, 32, -1);
    whole = took(plain, 32, 32, -1), none = took(plain, 32, 32, 0);
    printf("without shared memory at none as fast: %d\n", none < 1.2f * whole && whole < 1.2f * none);
    long long n = 0;
    float *to = nullptr;
    void *with[] = {&n, &to};
    printf("cooperative at none:");
    for (int blocks : {8, 9}) printf("%s %d %s", blocks == 9 ? "," : "", blocks, cudaGetErrorName(cudaLaunchCooperativeKernel((void *)plain, 132 * blocks, 32, with, 0, 0)));
    puts("");
}
