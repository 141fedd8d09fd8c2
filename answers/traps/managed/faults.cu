// kind: slow
// expect: fail counter page_faults
// expect: met correct
// expect: met counter migrated_bytes
// Pieces that fit, but nothing is fetched before it is touched.
#include <cstring>

const int TABLE = 4096;

__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % TABLE];
}

const int PIECE = 1 << 18; // floats: 1 MB

void managed(const float *in, const float *table, float *out, int n, int passes) {
    float *x, *t;
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&t, sizeof(float) * TABLE);
    memcpy(x, in, sizeof(float) * n);
    memcpy(t, table, sizeof(float) * TABLE);

    for (int at = 0; at < n; at += PIECE) {
        int m = n - at < PIECE ? n - at : PIECE;
        for (int p = 0; p < passes; p++) pass<<<(m + 255) / 256, 256>>>(x + at, t, at, m);
    }
    cudaDeviceSynchronize();

    memcpy(out, x, sizeof(float) * n);
    cudaFree(x);
    cudaFree(t);
}
