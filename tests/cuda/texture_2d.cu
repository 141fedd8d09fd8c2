// A texture object over an array: point and linear filtering, address modes, normalised coordinates.
// expect: point 2 7 12
// expect: linear 3.50 4.00
// expect: clamp 0 15
// expect: border 0
// expect: wrap 1 14
#include "common.h"
__global__ void read(cudaTextureObject_t t, float *out, const float2 *at, int n) {
    for (int i = 0; i < n; i++) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
static void show(cudaTextureObject_t t, const float2 *at, int n, const char *what, const char *format) {
    float *d, h[8];
    float2 *p;
    CK(cudaMalloc(&d, 32)), CK(cudaMalloc(&p, 64)), CK(cudaMemcpy(p, at, n * 8, cudaMemcpyHostToDevice));
    read<<<1, 1>>>(t, d, p, n);
    CK(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost));
    printf("%s", what);
    for (int i = 0; i < n; i++) printf(format, h[i]);
    printf("\n");
}
int main() {
    float a[16];
    for (int i = 0; i < 16; i++) a[i] = i;
    cudaArray_t arr;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CK(cudaMallocArray(&arr, &f, 4, 4)), CK(cudaMemcpy2DToArray(arr, 0, 0, a, 16, 16, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = arr;
    auto make = [&](cudaTextureAddressMode m, cudaTextureFilterMode filter, int normal) {
        cudaTextureObject_t t;
        cudaTextureDesc d = {};
        d.addressMode[0] = d.addressMode[1] = m, d.filterMode = filter, d.normalizedCoords = normal;
        CK(cudaCreateTextureObject(&t, &r, &d, NULL));
        return t;
    };
    float2 p[] = {{2.5f, 0.5f}, {3.9f, 1.1f}, {0.5f, 3.5f}};
    show(make(cudaAddressModeClamp, cudaFilterModePoint, 0), p, 3, "point", " %g");
    float2 l[] = {{2.0f, 1.0f}, {2.5f, 1.0f}};
    show(make(cudaAddressModeClamp, cudaFilterModeLinear, 0), l, 2, "linear", " %.2f");
    float2 c[] = {{-5, -5}, {50, 50}};
    show(make(cudaAddressModeClamp, cudaFilterModePoint, 0), c, 2, "clamp", " %g");
    show(make(cudaAddressModeBorder, cudaFilterModePoint, 0), c + 1, 1, "border", " %g");
    float2 n[] = {{1.3f, 0.1f}, {-0.3f, 0.9f}};
    show(make(cudaAddressModeWrap, cudaFilterModePoint, 1), n, 2, "wrap", " %g");
}
