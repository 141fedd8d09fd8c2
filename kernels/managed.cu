// The baseline of managed: each pass goes over all of the data. The pages fault in and are evicted.
#include <cstring>

const int TABLE = 4096;

__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}

void managed(const float *in, const float *table, float *out, int n, int passes) {
    float *x, *t;
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&t, sizeof(float) * TABLE);
    memcpy(x, in, sizeof(float) * n);
    memcpy(t, table, sizeof(float) * TABLE);

    for (int p = 0; p < passes; p++) pass<<<(n + 255) / 256, 256>>>(x, t, 0, n);
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
