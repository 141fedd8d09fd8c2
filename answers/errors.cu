// errors, solved: a block has at most 1024 threads, the kernel checks i < n, and the host checks
// for an error after the launch.
// zh: errors 的参考答案：每块最多 1024 个线程；核函数检查 i < n；主机在启动之后检查错误。
#include <cstdio>

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
    // This finds an invalid configuration. The next call that waits finds a fault in the kernel.
    // zh: 这里能发现启动配置无效。核函数里的故障，要由下一个等待设备的调用发现。
    check(cudaGetLastError(), "launching square");
}
