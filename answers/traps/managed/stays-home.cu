// kind: slow
// expect: fail counter link_bytes
// expect: met correct
// expect: met counter migrated_bytes
// expect: met counter page_faults
// Advice keeps all of x on the host, mapped for the device: nothing migrates, and every pass crosses the link twice.
#include <cstring>

const int TABLE = 4096;

__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}

void managed(const float *in, const float *table, float *out, int n, int passes) {
    float *x, *t;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&t, sizeof(float) * TABLE);
    memcpy(x, in, sizeof(float) * n);
    memcpy(t, table, sizeof(float) * TABLE);
    cudaMemAdvise(x, sizeof(float) * n, cudaMemAdviseSetPreferredLocation, host);
    cudaMemAdvise(x, sizeof(float) * n, cudaMemAdviseSetAccessedBy, device);
    cudaMemPrefetchAsync(t, sizeof(float) * TABLE, device, 0);

    for (int p = 0; p < passes; p++) pass<<<(n + 255) / 256, 256>>>(x, t, 0, n);
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
