// kind: slow
// expect: fail counter migrated_bytes
// expect: met correct
// Prefetches everything before each pass: by the time the end has come in, the beginning has been evicted.
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

    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    for (int p = 0; p < passes; p++) {
        cudaMemPrefetchAsync(x, sizeof(float) * n, device, 0);
        pass<<<(n + 255) / 256, 256>>>(x, t, 0, n);
    }
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
