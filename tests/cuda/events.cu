// Events: order, elapsed time, waiting across streams.
// fast
// expect: time is positive: 1
// expect: the longer takes longer: 1
// expect: 1000 ok
// expect: query cudaSuccess
#include "common.h"
__global__ void spin(float *p, int n) {
    float x = p[threadIdx.x];
    for (int i = 0; i < n; i++) x = x * 0.999f + 0.5f;
    p[threadIdx.x] = x;
}
__global__ void set(int *p, int v) { p[threadIdx.x] = v; }
__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }
int main() {
    float *d, a, b;
    cudaEvent_t t[4];
    cudaStream_t s, u;
    CK(cudaMalloc(&d, 4096)), CK(cudaMemset(d, 0, 4096));
    for (auto &e : t) CK(cudaEventCreate(&e));
    CK(cudaStreamCreate(&s)), CK(cudaStreamCreate(&u));
    spin<<<1, 32>>>(d, 10);
    CK(cudaEventRecord(t[0])), spin<<<1, 32>>>(d, 1000), CK(cudaEventRecord(t[1])), spin<<<1, 32>>>(d, 100000), CK(cudaEventRecord(t[2]));
    CK(cudaEventSynchronize(t[2]));
    CK(cudaEventElapsedTime(&a, t[0], t[1])), CK(cudaEventElapsedTime(&b, t[1], t[2]));
    printf("time is positive: %d\nthe longer takes longer: %d\n", a > 0, b > a);
    int *x, *y, h[1000], bad = 0;
    CK(cudaMalloc(&x, 4000)), CK(cudaMalloc(&y, 4000));
    for (int i = 0; i < 1000; i++) {
        set<<<1, 1000, 0, s>>>(x, i);
        CK(cudaEventRecord(t[3], s)), CK(cudaStreamWaitEvent(u, t[3]));
        copy<<<1, 1000, 0, u>>>(y, x);
        CK(cudaEventRecord(t[0], u)), CK(cudaStreamWaitEvent(s, t[0]));
        if (i % 250 == 249) {
            CK(cudaMemcpyAsync(h, y, 4000, cudaMemcpyDeviceToHost, u)), CK(cudaStreamSynchronize(u));
            for (int j = 0; j < 1000; j++) bad += h[j] != i;
        }
    }
    printf("1000 %s\n", bad ? "wrong" : "ok");
    printf("query %s\n", cudaGetErrorName(cudaEventQuery(t[3])));
}
