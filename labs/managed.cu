// managed: x[i] = 0.75 * x[i] + 0.25 * table[i % TABLE], `passes` times over,
// for more data than the device has memory. All of it lies in managed memory.
// zh: managed：x[i] = 0.75 * x[i] + 0.25 * table[i % TABLE]，做 passes 遍；
// zh: 数据比设备内存还多。
// zh: 数据全部放在托管内存里。
#include <cstring>

const int TABLE = 4096;

// Nothing is to be done here.
// zh: 这里不用改。
__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}

// in, table (TABLE floats) and out are ordinary host memory.
// zh: in、table（TABLE 个 float）和 out 都是普通主机内存。
void managed(const float *in, const float *table, float *out, int n,
             int passes) {
    float *x, *t;
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&t, sizeof(float) * TABLE);
    memcpy(x, in, sizeof(float) * n);
    memcpy(t, table, sizeof(float) * TABLE);

    // TODO: each pass needs all of x, and the device cannot hold it. What
    // moves in each pass?
    // zh: TODO：每一遍都要用到整个 x，可设备装不下。每一遍里，搬动的是什么？
    for (int p = 0; p < passes; p++) pass<<<(n + 255) / 256, 256>>>(x, t, 0, n);
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
