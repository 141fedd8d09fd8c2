// Textures and surfaces of one and three dimensions, of bytes and vectors, by level, and layers written through a surface.
// expect: tex1D 2 2.5
// expect: fetch 30
// expect: tex2D bytes 6
// expect: level 9
// expect: tex3D 21
// expect: bytes 7 1 2 3 4
// expect: surface 3d 5
// expect: surface 1d 1 2 3 4
// expect: layers 5 6 7 8
#include "common.h"
#include <vector>
__global__ void k1(cudaTextureObject_t p, cudaTextureObject_t l, cudaTextureObject_t u, float *o) {
    o[0] = tex1D<float>(p, 2.5f), o[1] = tex1D<float>(l, 3.0f), o[2] = tex1Dfetch<unsigned>(u, 3);
}
__global__ void k2(cudaTextureObject_t b, cudaTextureObject_t f, cudaTextureObject_t v, float *o) {
    o[0] = tex2D<unsigned char>(b, 2.5f, 1.5f), o[1] = tex2DLod<float>(f, 1.5f, 2.5f, 0.0f), o[2] = tex3D<float>(v, 1.5f, 2.5f, 1.5f);
}
__global__ void k3(cudaSurfaceObject_t b, cudaSurfaceObject_t c, cudaSurfaceObject_t three, cudaSurfaceObject_t one, cudaSurfaceObject_t two) {
    surf2Dwrite((unsigned char)7, b, 3, 1);
    surf2Dwrite(make_uchar4(1, 2, 3, 4), c, 4, 1);
    surf3Dwrite((unsigned char)5, three, 1, 0, 1);
    surf1Dwrite(make_float4(1, 2, 3, 4), one, 16);
    surf2DLayeredwrite(make_float4(5, 6, 7, 8), two, 16, 1, 1);
}
// Not in k3: what a launch has written, its own reads of surfaces may not see.
__global__ void k4(cudaSurfaceObject_t b, cudaSurfaceObject_t c, float *o) {
    uchar4 v = surf2Dread<uchar4>(c, 4, 1);
    o[0] = surf2Dread<unsigned char>(b, 3, 1), o[1] = v.x, o[2] = v.y, o[3] = v.z, o[4] = v.w;
}
static cudaArray_t make(cudaChannelFormatDesc f, int w, int h, int d, unsigned flags, const void *from, int texel) {
    cudaArray_t a;
    CK(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, d), flags));
    if (!from) return a;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)from, w * texel, w, h ? h : 1), p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1), p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    return a;
}
static cudaResourceDesc of(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    return r;
}
static cudaTextureObject_t view(cudaResourceDesc r, cudaTextureFilterMode filter) {
    cudaTextureDesc x = {};
    cudaTextureObject_t t;
    x.filterMode = filter, x.addressMode[0] = x.addressMode[1] = x.addressMode[2] = cudaAddressModeClamp;
    CK(cudaCreateTextureObject(&t, &r, &x, NULL));
    return t;
}
static cudaSurfaceObject_t surface(cudaArray_t a) {
    cudaResourceDesc r = of(a);
    cudaSurfaceObject_t s;
    CK(cudaCreateSurfaceObject(&s, &r));
    return s;
}
static float *d, h[64];
static void fetch(int n) { CK(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost)); }
static void back(cudaArray_t a, int w, int hh, int dd, int texel, void *to) {
    cudaMemcpy3DParms p = {};
    p.dstPtr = make_cudaPitchedPtr(to, w * texel, w, hh ? hh : 1), p.srcArray = a;
    p.extent = make_cudaExtent(w, hh ? hh : 1, dd ? dd : 1), p.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&p));
}
int main() {
    float ramp[24];
    unsigned tens[8];
    unsigned char bytes[16];
    for (int i = 0; i < 24; i++) ramp[i] = i;
    for (int i = 0; i < 8; i++) tens[i] = 10 * i;
    for (int i = 0; i < 16; i++) bytes[i] = i;
    CK(cudaMalloc(&d, 256));
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), b = cudaCreateChannelDesc<unsigned char>(),
                          c4 = cudaCreateChannelDesc<uchar4>(), f4 = cudaCreateChannelDesc<float4>();
    cudaArray_t line = make(f, 8, 0, 0, 0, ramp, 4), plane = make(b, 4, 4, 0, 0, bytes, 1), square = make(f, 4, 4, 0, 0, ramp, 4),
                solid = make(f, 4, 3, 2, 0, ramp, 4);
    unsigned *u;
    CK(cudaMalloc(&u, 32)), CK(cudaMemcpy(u, tens, 32, cudaMemcpyHostToDevice));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear, linear.res.linear.devPtr = u, linear.res.linear.sizeInBytes = 32;
    linear.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    k1<<<1, 1>>>(view(of(line), cudaFilterModePoint), view(of(line), cudaFilterModeLinear), view(linear, cudaFilterModePoint), d);
    fetch(3), printf("tex1D %g %g\nfetch %g\n", h[0], h[1], h[2]);
    k2<<<1, 1>>>(view(of(plane), cudaFilterModePoint), view(of(square), cudaFilterModePoint), view(of(solid), cudaFilterModePoint), d);
    fetch(3), printf("tex2D bytes %g\nlevel %g\ntex3D %g\n", h[0], h[1], h[2]);
    unsigned flag = cudaArraySurfaceLoadStore;
    cudaArray_t sb = make(b, 4, 4, 0, flag, bytes, 1), sc = make(c4, 4, 4, 0, flag, NULL, 4), s3 = make(b, 4, 2, 2, flag, NULL, 1),
                s1 = make(f4, 4, 0, 0, flag, NULL, 16), s2 = make(f4, 2, 2, 2, flag | cudaArrayLayered, NULL, 16);
    k3<<<1, 1>>>(surface(sb), surface(sc), surface(s3), surface(s1), surface(s2));
    k4<<<1, 1>>>(surface(sb), surface(sc), d);
    fetch(5), printf("bytes %g %g %g %g %g\n", h[0], h[1], h[2], h[3], h[4]);
    std::vector<unsigned char> v3(16);
    std::vector<float4> v1(4), v2(8);
    back(s3, 4, 2, 2, 1, v3.data()), back(s1, 4, 0, 0, 16, v1.data()), back(s2, 2, 2, 2, 16, v2.data());
    printf("surface 3d %d\n", v3[8 + 1]);
    printf("surface 1d %g %g %g %g\n", v1[1].x, v1[1].y, v1[1].z, v1[1].w);
    printf("layers %g %g %g %g\n", v2[7].x, v2[7].y, v2[7].z, v2[7].w);
}
