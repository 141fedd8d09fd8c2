// lab: managed
// expect: fail counter
// expect: says migrated_bytes is 0
// All data go by copies; a managed array that nobody uses is prefetched back and forth.
#include <cstring>
const int TABLE = 4096, PIECE = 1 << 17;
__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}
void managed(const float *in, const float *table, float *out, int n, int passes) {
    float *x, *t, *d;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    size_t decoy = 1 << 20;
    cudaMallocManaged(&x, decoy);
    cudaMalloc(&t, sizeof(float) * TABLE);
    cudaMalloc(&d, sizeof(float) * PIECE);
    memset(x, 0, decoy);
    cudaMemcpy(t, table, sizeof(float) * TABLE, cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; k++) {
        cudaMemPrefetchAsync(x, decoy, device, 0);
        cudaMemPrefetchAsync(x, decoy, host, 0);
    }
    for (int at = 0; at < n; at += PIECE) {
        int m = n - at < PIECE ? n - at : PIECE;
        cudaMemcpy(d, in + at, sizeof(float) * m, cudaMemcpyHostToDevice);
        for (int p = 0; p < passes; p++) pass<<<(m + 255) / 256, 256>>>(d, t, at, m);
        cudaMemcpy(out + at, d, sizeof(float) * m, cudaMemcpyDeviceToHost);
    }
    cudaFree(x);
    cudaFree(t);
    cudaFree(d);
}
