// Copy in, compute, copy out in four streams from page-locked memory; a stream that waits for the others' events; times that make sense.
// arch: sm_80
// fast
#include "programs.cuh"
__global__ void square(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * a[i] % 10007;
}
__global__ void add(const int *a, int n, unsigned long long *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = __reduce_add_sync(~0u, i < n ? (unsigned)a[i] : 0u);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)v);
}
int main() {
    const int n = 40000, parts = 4, each = n / parts;
    int *h, *d = device<int>(n);
    CK(cudaMallocHost(&h, n * sizeof(int)));
    std::vector<int> want(n);
    unsigned long long all = 0;
    for (int i = 0; i < n; i++) h[i] = rnd() % 10007, want[i] = h[i] * h[i] % 10007, all += want[i];
    cudaStream_t s[parts], last;
    cudaEvent_t done[parts], begin, end;
    CK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    CK(cudaEventCreate(&begin)), CK(cudaEventCreate(&end));
    CK(cudaEventRecord(begin, last));
    for (int p = 0; p < parts; p++) {
        CK(cudaStreamCreateWithFlags(&s[p], cudaStreamNonBlocking)), CK(cudaEventCreateWithFlags(&done[p], cudaEventDisableTiming));
        CK(cudaMemcpyAsync(d + p * each, h + p * each, each * sizeof(int), cudaMemcpyHostToDevice, s[p]));
        square<<<blocks(each, 256), 256, 0, s[p]>>>(d + p * each, each);
        CK(cudaMemcpyAsync(h + p * each, d + p * each, each * sizeof(int), cudaMemcpyDeviceToHost, s[p]));
        CK(cudaEventRecord(done[p], s[p]));
        CK(cudaStreamWaitEvent(last, done[p], 0));
    }
    auto *sum = zeros<unsigned long long>(1);
    CK(cudaDeviceSynchronize()); // the memset above was in the default stream
    add<<<blocks(n, 256), 256, 0, last>>>(d, n, sum);
    CK(cudaEventRecord(end, last)), CK(cudaEventSynchronize(end));
    float ms = -1;
    CK(cudaEventElapsedTime(&ms, begin, end));
    equal("squares", std::vector<int>(h, h + n), want);
    is("sum", (double)host(sum, 1)[0], (double)all);
    is("time is positive", ms > 0, 1);
    return verdict();
}
