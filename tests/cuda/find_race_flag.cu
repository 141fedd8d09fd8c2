// Data that one kernel hands to another, in streams that nothing orders: a flag of volatile words or
// of release and acquire does not order the kernels, which may run one after another in any order.
// sim only
// arch: sm_90
// std: c++17
// expect: 7 7 7
// finding: race
// stderr: kernel gives in stream 1 (writes, line 15) and kernel takes in stream 2 (reads, line 20)
// stderr: kernel gives_fenced in stream 1 (writes, line 24) and kernel takes_fenced in stream 2 (reads, line 31)
// stderr: kernel releases in stream 1 (writes, line 35) and kernel acquires in stream 2 (reads, line 42)
#include "common.h"
#include <cuda/atomic>

__global__ void gives(int *data, volatile int *flag) {
    *data = 7;
    *flag = 1;
}
__global__ void takes(const int *data, volatile int *flag, int *out) {
    while (*flag == 0) {}
    *out = *data;
}

__global__ void gives_fenced(int *data, volatile int *flag) {
    *data = 7;
    __threadfence();
    *flag = 1;
}
__global__ void takes_fenced(const int *data, volatile int *flag, int *out) {
    while (*flag == 0) {}
    __threadfence();
    *out = *data;
}

__global__ void releases(int *data, int *flag) {
    *data = 7;
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    f.store(1, cuda::memory_order_release);
}
__global__ void acquires(const int *data, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    while (f.load(cuda::memory_order_acquire) == 0) {}
    *out = *data;
}

int main() {
    enum { STEP = 64 };
    int *x, out[3];
    cudaStream_t a, b;
    CK(cudaMalloc(&x, 9 * STEP * sizeof *x)), CK(cudaMemset(x, 0, 9 * STEP * sizeof *x));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CK(cudaDeviceSynchronize());
    gives<<<1, 1, 0, a>>>(x, x + STEP), takes<<<1, 1, 0, b>>>(x, x + STEP, x + 2 * STEP);
    gives_fenced<<<1, 1, 0, a>>>(x + 3 * STEP, x + 4 * STEP);
    takes_fenced<<<1, 1, 0, b>>>(x + 3 * STEP, x + 4 * STEP, x + 5 * STEP);
    releases<<<1, 1, 0, a>>>(x + 6 * STEP, x + 7 * STEP);
    acquires<<<1, 1, 0, b>>>(x + 6 * STEP, x + 7 * STEP, x + 8 * STEP);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++)
        CK(cudaMemcpy(&out[i], x + (3 * i + 2) * STEP, sizeof *out, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", out[0], out[1], out[2]);
}
