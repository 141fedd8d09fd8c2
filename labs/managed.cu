// managed: sets x[i] = 0.75 * x[i] + 0.25 * table[i % TABLE] in each of
// `passes` passes. x can be larger than the device's memory, and is managed.
// zh: managed：把 x[i] 换成 0.75 * x[i] + 0.25 * table[i % TABLE]，
// zh: 一共做 passes 遍。
// zh: x 可能比设备内存还大，放在托管内存里。
#include <cstring>

const int TABLE = 4096;

// Do not change this kernel.
// zh: 这个核函数不用改。
__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}

// `in`, `table` (TABLE floats) and `out` are ordinary host memory.
// zh: in、table（TABLE 个 float）和 out 都是普通主机内存。
void managed(const float *in, const float *table, float *out, int n,
             int passes) {
    float *x, *t;
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&t, sizeof(float) * TABLE);
    memcpy(x, in, sizeof(float) * n);
    memcpy(t, table, sizeof(float) * TABLE);

    // TODO: each pass uses all of x, and the device cannot hold all of x. Which
    // pages migrate in each pass?
    // zh: TODO：每一遍都要用到整个 x，设备却装不下。每一遍里，哪些页要迁移？
    for (int p = 0; p < passes; p++) pass<<<(n + 255) / 256, 256>>>(x, t, 0, n);
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
