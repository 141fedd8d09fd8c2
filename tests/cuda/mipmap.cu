// Mipmapped arrays: levels and their sizes, level of detail by number and by gradient, bias and clamps, the nearest level and mixed ones, texels within
// a level, surfaces on one, layers, three dimensions, one.
// gpu limit: mipmapped arrays are of the simulated device
// expect: sizes 8x8 4x4 2x2 1x1
// expect: nearest 10 10 20 20 30 40 40 10
// expect: mixed 10 15 22.5 37.5 40
// expect: bias 20 30 40
// expect: clamped 20 20 30 30
// expect: gradients 10 20 30 40 40
// expect: mixed by gradient 25 35
// expect: texels 6 9 3 0
// expect: filtered 7.5 1.5
// expect: surface 77
// expect: layers 2 12 22
// expect: volume 4 14 24
// expect: line 1 11 21 31
// expect: described 1 0.25 3
// expect: no level cudaErrorInvalidValue
#include "common.h"
#include <vector>
typedef cudaMipmappedArray_t mipmap;
static cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>();
static cudaArray_t level(mipmap m, int k) {
    cudaArray_t a;
    CK(cudaGetMipmappedArrayLevel(&a, m, k));
    return a;
}
// Level k, of w x h x d texels, holds value(k, x, y, z).
template <class F> static void fill(mipmap m, int k, int w, int h, int d, F value) {
    std::vector<float> v;
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) v.push_back(value(k, x, y, z));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), w * 4, w, h);
    p.dstArray = level(m, k), p.extent = make_cudaExtent(w, h, d), p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
}
static cudaTextureObject_t texture(mipmap m, cudaTextureFilterMode between, float bias = 0, float low = 0, float high = 100,
                                   cudaTextureFilterMode within = cudaFilterModePoint) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = within, d.normalizedCoords = 1;
    d.mipmapFilterMode = between, d.mipmapLevelBias = bias, d.minMipmapLevelClamp = low, d.maxMipmapLevelClamp = high;
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

enum { LEVEL, GRADIENT, LAYER, VOLUME, LINE, SURFACE };
struct fetch {
    float x, y, z, a, b, c, d; // place; level, or gradients
};
__global__ void read(cudaTextureObject_t t, int how, const fetch *f, float *out) {
    fetch q = f[threadIdx.x];
    float v = 0;
    if (how == LEVEL) v = tex2DLod<float>(t, q.x, q.y, q.a);
    if (how == GRADIENT) v = tex2DGrad<float>(t, q.x, q.y, make_float2(q.a, q.b), make_float2(q.c, q.d));
    if (how == LAYER) v = tex2DLayeredLod<float>(t, q.x, q.y, (int)q.z, q.a);
    if (how == VOLUME) v = tex3DLod<float>(t, q.x, q.y, q.z, q.a);
    if (how == LINE) v = tex1DLod<float>(t, q.x, q.a);
    out[threadIdx.x] = v;
}
__global__ void write(cudaSurfaceObject_t s, int x, int y, float v) { surf2Dwrite(v, s, x * 4, y); }
static void show(const char *what, cudaTextureObject_t t, int how, std::vector<fetch> f) {
    fetch *d;
    float *o, h[16];
    CK(cudaMalloc(&d, f.size() * sizeof f[0])), CK(cudaMalloc(&o, sizeof h));
    CK(cudaMemcpy(d, f.data(), f.size() * sizeof f[0], cudaMemcpyHostToDevice));
    read<<<1, f.size()>>>(t, how, d, o);
    CK(cudaMemcpy(h, o, f.size() * 4, cudaMemcpyDeviceToHost));
    printf("%s", what);
    for (size_t i = 0; i < f.size(); i++) printf(how == GRADIENT ? " %.0f" : " %g", h[i]); // hardware's logarithm is not exact
    printf("\n");
    CK(cudaFree(d)), CK(cudaFree(o)), CK(cudaDestroyTextureObject(t));
}
static std::vector<fetch> levels(std::vector<float> l) {
    std::vector<fetch> f;
    for (float x : l) f.push_back({0.5f, 0.5f, 0, x});
    return f;
}

int main() {
    mipmap m;
    CK(cudaMallocMipmappedArray(&m, &f32, make_cudaExtent(8, 8, 0), 10, cudaArraySurfaceLoadStore)); // has 4
    printf("sizes");
    for (int k = 0; k < 4; k++) {
        cudaChannelFormatDesc d;
        cudaExtent e;
        unsigned flags;
        CK(cudaArrayGetInfo(&d, &e, &flags, level(m, k))), printf(" %zux%zu", e.width, e.height);
        fill(m, k, 8 >> k, 8 >> k, 1, [](int k, int, int, int) { return 10.f * (k + 1); });
    }
    printf("\n");
    const cudaTextureFilterMode point = cudaFilterModePoint, linear = cudaFilterModeLinear;
    show("nearest", texture(m, point), LEVEL, levels({0, 0.4f, 0.6f, 1, 2.3f, 3, 9, -1}));
    show("mixed", texture(m, linear), LEVEL, levels({0, 0.5f, 1.25f, 2.75f, 5}));
    show("bias", texture(m, point, 1), LEVEL, levels({0, 1, 3}));
    show("clamped", texture(m, point, 0, 1, 2), LEVEL, levels({0, 1, 2, 3}));
    // texels of level 0 that a step is long, along x by x, along y by y
    show("gradients", texture(m, point), GRADIENT,
         {{0.5f, 0.5f, 0, 1 / 8.f, 0, 0, 1 / 8.f}, {0.5f, 0.5f, 0, 2 / 8.f, 0, 0, 1 / 8.f}, {0.5f, 0.5f, 0, 0, 1 / 8.f, 0, 4 / 8.f},
          {0.5f, 0.5f, 0, 1, 0, 0, 0}, {0.5f, 0.5f, 0, 0, 0, 64, 0}});
    // 2 to the power of 1.5 and of 2.5
    show("mixed by gradient", texture(m, linear), GRADIENT,
         {{0.5f, 0.5f, 0, 2.828427125f / 8, 0, 0, 0}, {0.5f, 0.5f, 0, 0, 0, 0, 5.656854249f / 8}});

    for (int k = 0; k < 4; k++) fill(m, k, 8 >> k, 8 >> k, 1, [](int k, int x, int y, int) { return float(y * (8 >> k) + x); });
    show("texels", texture(m, point), LEVEL, {{2.5f / 4, 1.5f / 4, 0, 1}, {1.5f / 4, 2.5f / 4, 0, 1}, {0.9f, 0.9f, 0, 2}, {0.9f, 0.9f, 0, 3}});
    show("filtered", texture(m, point, 0, 0, 9, linear), LEVEL, {{0.5f, 0.5f, 0, 1}, {0.5f, 0.5f, 0, 2}}); // between four texels
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = level(m, 2);
    cudaSurfaceObject_t s;
    CK(cudaCreateSurfaceObject(&s, &r));
    write<<<1, 1>>>(s, 1, 0, 77);
    show("surface", texture(m, point), LEVEL, {{0.75f, 0.25f, 0, 2}});
    CK(cudaDestroySurfaceObject(s));

    mipmap l, v, one;
    CK(cudaMallocMipmappedArray(&l, &f32, make_cudaExtent(4, 4, 3), 3, cudaArrayLayered));
    for (int k = 0; k < 3; k++) fill(l, k, 4 >> k, 4 >> k, 3, [](int k, int, int, int z) { return 10.f * k + z; });
    show("layers", texture(l, point), LAYER, {{0.5f, 0.5f, 2, 0}, {0.5f, 0.5f, 2, 1}, {0.5f, 0.5f, 2, 2}});
    CK(cudaMallocMipmappedArray(&v, &f32, make_cudaExtent(4, 4, 4), 3, 0));
    for (int k = 0; k < 3; k++) fill(v, k, 4 >> k, 4 >> k, 4 >> k, [](int k, int, int, int z) { return 10.f * k + z * (1 << k) + (k == 2 ? 4 : k == 1 ? 2 : 1); });
    show("volume", texture(v, point), VOLUME, {{0.5f, 0.5f, 3.5f / 4, 0}, {0.5f, 0.5f, 0.75f, 1}, {0.5f, 0.5f, 0.75f, 2}});
    CK(cudaMallocMipmappedArray(&one, &f32, make_cudaExtent(8, 0, 0), 4, 0));
    for (int k = 0; k < 4; k++) fill(one, k, 8 >> k, 1, 1, [](int k, int x, int, int) { return 10.f * k + (x == (8 >> k) - 1 ? 1 : 0); });
    show("line", texture(one, point), LINE, {{0.99f, 0, 0, 0}, {0.99f, 0, 0, 1}, {0.99f, 0, 0, 2}, {0.99f, 0, 0, 3}});

    cudaTextureObject_t t = texture(m, linear, 0.25f, 0, 3);
    cudaTextureDesc d;
    CK(cudaGetTextureObjectTextureDesc(&d, t)), CK(cudaDestroyTextureObject(t));
    printf("described %d %g %g\n", d.mipmapFilterMode == linear, d.mipmapLevelBias, d.maxMipmapLevelClamp);
    cudaArray_t a;
    printf("no level %s\n", cudaGetErrorName(cudaGetMipmappedArrayLevel(&a, m, 4)));
    CK(cudaFreeMipmappedArray(m)), CK(cudaFreeMipmappedArray(l)), CK(cudaFreeMipmappedArray(v)), CK(cudaFreeMipmappedArray(one));
}
