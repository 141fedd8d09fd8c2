// sim only
// expect: done
// Work of several streams on the same memory in every way that orders it, and on parts of an array that touch no whole word of each other: no race is found.
#include "common.h"
__global__ void fill(float *x, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}
__global__ void count(int *sum) { atomicAdd(sum, 1); }
__global__ void odd(float *x, int n, int start) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + start;
    if (i < n) x[i] = 2;
}
int main() {
    enum { N = 4001, PARTS = 8 };
    float *x, *host;
    int *sum;
    cudaStream_t a, b, s[PARTS];
    cudaEvent_t e;
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&sum, sizeof *sum);
    cudaMallocHost(&host, N * sizeof *host);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    // an event
    fill<<<16, 256, 0, a>>>(x, N, 1);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    cudaMemcpyAsync(host, x, N * sizeof *x, cudaMemcpyDeviceToHost, b);
    // the host waits: for a stream, an event, the device
    cudaStreamSynchronize(b);
    fill<<<16, 256, 0, a>>>(x, N, 2);
    cudaEventRecord(e, a);
    cudaEventSynchronize(e);
    fill<<<16, 256, 0, b>>>(x, N, 3);
    cudaDeviceSynchronize();
    cudaMemsetAsync(x, 0, N * sizeof *x, a);
    while (cudaStreamQuery(a) == cudaErrorNotReady) {
    }
    fill<<<16, 256, 0, b>>>(x, N, 3);
    cudaStreamSynchronize(b);
    // parts of an array, ragged and interleaved; and a counter that all add to
    for (int i = 0; i < PARTS; i++) {
        int part = (N + PARTS - 1) / PARTS, at = i * part, m = N - at < part ? N - at : part;
        cudaStreamCreate(&s[i]);
        fill<<<(m + 255) / 256, 256, 0, s[i]>>>(x + at, m, 4);
        cudaMemcpyAsync(host + at, x + at, m * sizeof *x, cudaMemcpyDeviceToHost, s[i]);
    }
    cudaMemsetAsync(sum, 0, sizeof *sum, 0); // the legacy default stream waits for them all, and they for it
    fill<<<16, 256>>>(x, N, 5);
    for (int i = 0; i < 2; i++) odd<<<8, 256, 0, s[i]>>>(x, N, i);
    for (int i = 0; i < PARTS; i++) count<<<1, 32, 0, s[i]>>>(sum);
    for (int i = 0; i < PARTS; i++) cudaStreamDestroy(s[i]);
    fill<<<16, 256>>>(x, N, 6); // behind streams that are gone
    cudaMemcpy(host, x, N * sizeof *x, cudaMemcpyDeviceToHost);
    cudaFreeHost(host);
    cudaFree(x), cudaFree(sum);
    printf("done\n");
}
