// managed, solved: each piece of x is prefetched, goes through all passes, and is prefetched back.
// zh: managed 的参考答案：x 分成几段。每一段先预取到设备，做完所有遍，再预取回主机。
#include <cstring>

const int TABLE = 4096;

__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}

const int PIECE = 1 << 18; // floats: 1 MB
// zh: float 的个数，共 1 MB

void managed(const float *in, const float *table, float *out, int n, int passes) {
    float *x, *t;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&t, sizeof(float) * TABLE);
    memcpy(x, in, sizeof(float) * n);
    memcpy(t, table, sizeof(float) * TABLE);
    cudaMemAdvise(t, sizeof(float) * TABLE, cudaMemAdviseSetReadMostly, device);
    cudaMemPrefetchAsync(t, sizeof(float) * TABLE, device, 0);

    for (int at = 0; at < n; at += PIECE) {
        int m = n - at < PIECE ? n - at : PIECE;
        cudaMemPrefetchAsync(x + at, sizeof(float) * m, device, 0);
        for (int p = 0; p < passes; p++) pass<<<(m + 255) / 256, 256>>>(x + at, t, at, m);
        cudaMemPrefetchAsync(x + at, sizeof(float) * m, host, 0);
    }
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
