// errors, solved: at most 1024 threads per block, i < n, and a look at the error after each launch.
// zh: errors 的参考答案：每块最多 1024 个线程；i < n；每次启动之后检查错误。
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
    // An invalid configuration shows here; a fault in the kernel shows at the next wait.
    // zh: 无效的启动配置在这里显现；核函数里的故障要到下一次等待时才显现。
    check(cudaGetLastError(), "launching square");
}
