// Textures over plain memory: integers, vectors, 8-bit values as fractions.
// expect: 30
// expect: 5 6 7 8
// expect: 1.000 0.502
#include "common.h"
__global__ void ints(cudaTextureObject_t t, int *o) { *o = tex1Dfetch<int>(t, 3); }
__global__ void vec(cudaTextureObject_t t, int4 *o) { *o = tex1Dfetch<int4>(t, 1); }
__global__ void bytes(cudaTextureObject_t t, float *o) { o[0] = tex1Dfetch<float>(t, 0), o[1] = tex1Dfetch<float>(t, 1); }
template <class T> static cudaTextureObject_t make(const T *h, int n, cudaTextureReadMode mode) {
    T *d;
    cudaTextureObject_t t;
    CK(cudaMalloc(&d, n * sizeof(T))), CK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc x = {};
    r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = d, r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = n * sizeof(T);
    x.readMode = mode;
    CK(cudaCreateTextureObject(&t, &r, &x, NULL));
    return t;
}
int main() {
    int a[] = {0, 10, 20, 30}, *d, h[4];
    int4 v[] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    unsigned char b[] = {255, 128};
    float g[2];
    CK(cudaMalloc(&d, 16));
    cudaTextureObject_t t = make(a, 4, cudaReadModeElementType);
    ints<<<1, 1>>>(t, d);
    CK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost)), printf("%d\n", h[0]);
    CK(cudaDestroyTextureObject(t));
    vec<<<1, 1>>>(make(v, 2, cudaReadModeElementType), (int4 *)d);
    CK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost)), printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    bytes<<<1, 1>>>(make(b, 2, cudaReadModeNormalizedFloat), (float *)d);
    CK(cudaMemcpy(g, d, 8, cudaMemcpyDeviceToHost)), printf("%.3f %.3f\n", g[0], g[1]);
}
