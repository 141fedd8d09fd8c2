// CUDA arrays: copies in and out, of parts, between arrays; what they are.
// expect: linear ok
// expect: 2d ok
// expect: part ok
// expect: 64 32 0, float 32
// expect: cudaErrorInvalidChannelDescriptor
// expect: cudaErrorInvalidValue
#include "common.h"
int main() {
    static float a[32][64], b[32][64];
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 64; x++) a[y][x] = y * 100 + x;
    cudaArray_t s, t;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CK(cudaMallocArray(&s, &f, 64, 32)), CK(cudaMallocArray(&t, &f, 64, 32));
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    CK(cudaMemcpyToArray(s, 0, 0, a, sizeof a, cudaMemcpyHostToDevice));
    CK(cudaMemcpyFromArray(b, s, 0, 0, sizeof b, cudaMemcpyDeviceToHost));
    printf("linear %s\n", memcmp(a, b, sizeof a) ? "wrong" : "ok");
    memset(b, 0, sizeof b);
    CK(cudaMemcpy2DArrayToArray(t, 0, 0, s, 0, 0, 256, 32, cudaMemcpyDeviceToDevice));
    CK(cudaMemcpy2DFromArray(b, 256, t, 0, 0, 256, 32, cudaMemcpyDeviceToHost));
    printf("2d %s\n", memcmp(a, b, sizeof a) ? "wrong" : "ok");
    float c[4][8];
    CK(cudaMemcpy2DFromArray(c, 32, s, 5 * 4, 7, 32, 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) ok &= c[y][x] == a[y + 7][x + 5];
    printf("part %s\n", ok ? "ok" : "wrong");
    cudaExtent e;
    unsigned flags;
    CK(cudaArrayGetInfo(&f, &e, &flags, s));
    printf("%zu %zu %zu, float %d\n", e.width, e.height, e.depth, f.f == cudaChannelFormatKindFloat ? f.x : 0);
    cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    NAME(cudaMallocArray(&t, &three, 64, 32));
    NAME(cudaMallocArray(&t, &f, 0, 0));
}
