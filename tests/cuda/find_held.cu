// Page-locked memory that the host changes while an asynchronous copy from it or to it is under way: told. Where the host has waited, or knows by a
// host function or by what a kernel stored, nothing is.
// sim only
// finding: race
// stderr: the host changes page-locked memory while an asynchronous copy from it is under way (byte 40 of its 4,000); wait for the copy first (cudaStreamSynchronize, or an event behind it), or use another buffer meanwhile
// stderr: or use another buffer meanwhile (3)
// expect: 0
#include <cstdio>
__global__ void tells(volatile int *flag) {
    *flag = 1;
}
static void CUDART_CB next(void *p) {
    *(int *)p = 3; // in the order of the stream
}
int main() {
    int *h, *g, *d, *flag, *big, n = 1000, all = 25000000;
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreate(&s), cudaStreamCreate(&t), cudaEventCreate(&e);
    cudaMallocHost(&h, 4 * n), cudaMallocHost(&g, 4 * n), cudaMalloc(&d, 4 * n);
    cudaHostAlloc(&flag, 4, cudaHostAllocMapped);
    for (int i = 0; i < n; i++) h[i] = i, g[i] = -i;
    // waited for: by the stream, by an event, by a stream behind an event, by questions
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s), h[1] = 7;
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    cudaEventRecord(e, s), cudaEventSynchronize(e), h[1] = 8;
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0), cudaStreamSynchronize(t), h[1] = 9;
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    while (cudaStreamQuery(s)) {}
    h[1] = 10;
    cudaMemcpyAsync(h, d, 4 * n, cudaMemcpyDeviceToHost, s);
    cudaEventRecord(e, s);
    while (cudaEventQuery(e)) {}
    h[1] = 11;
    // another buffer, or another part of it, meanwhile
    cudaMemcpyAsync(d, h, 2 * n, cudaMemcpyHostToDevice, s), g[2] = 1, h[n / 2] = 12;
    cudaStreamSynchronize(s);
    // a host function, and what the device itself brings there
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    cudaLaunchHostFunc(s, next, h), cudaStreamSynchronize(s);
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    cudaMemsetAsync(d, 0, 4 * n, s);
    cudaMemcpyAsync(h, d, 4 * n, cudaMemcpyDeviceToHost, s), cudaStreamSynchronize(s);
    // a kernel behind the copy tells the host
    *flag = 0;
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    tells<<<1, 1, 0, s>>>(flag);
    while (!*(volatile int *)flag) {}
    h[3] = 13, cudaStreamSynchronize(s);
    // not waited for
    cudaMemcpyAsync(d, h, 4 * n, cudaMemcpyHostToDevice, s);
    h[10] = -1, cudaDeviceSynchronize();
    cudaMemcpyAsync(g, d, 4 * n, cudaMemcpyDeviceToHost, s);
    g[0] = 123456, cudaDeviceSynchronize();
    int *large;
    cudaMallocHost(&big, 4ll * all), cudaMalloc(&large, 4ll * all);
    cudaMemcpyAsync(large, big, 4ll * all, cudaMemcpyHostToDevice, s);
    big[all - 1] = 5;
    printf("%d\n", cudaDeviceSynchronize());
    cudaFreeHost(h), cudaFreeHost(g), cudaFreeHost(flag), cudaFreeHost(big), cudaFree(d), cudaFree(large);
    cudaStreamDestroy(s), cudaStreamDestroy(t), cudaEventDestroy(e);
}
