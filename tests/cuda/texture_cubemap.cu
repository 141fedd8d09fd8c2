// Cubemaps and layered textures: each face and layer holds its number, filters stay within a face; written through surfaces too.
// expect: faces 0 1 2 3 4 5
// expect: corner texels 300 303 312 315
// expect: linear 107.5
// expect: layered cubes 1406 1301
// expect: layers 0 1 2 2
// expect: layered 1d 1.5
// expect: a cubemap of 4 x 3: cudaErrorInvalidValue
// expect: gather 5 6 2 1
#include "common.h"
#include <vector>
__global__ void directions(cudaTextureObject_t t, const float3 *at, int n, float *out) {
    for (int i = 0; i < n; i++) out[i] = texCubemap<float>(t, at[i].x, at[i].y, at[i].z);
}
__global__ void cubes(cudaTextureObject_t t, float *out) {
    out[0] = texCubemapLayered<float>(t, 0.1f, 0.1f, 1.0f, 1);
    out[1] = texCubemapLayered<float>(t, -0.3f, -1.0f, 0.6f, 1);
}
__global__ void layers(cudaTextureObject_t t, float *out) {
    for (int i = 0; i < 4; i++) out[i] = tex2DLayered<float>(t, 0.5f, 0.5f, i);
}
__global__ void layers1(cudaTextureObject_t t, float *out) { out[0] = tex1DLayered<float>(t, 2.0f, 0); }
__global__ void fill(cudaSurfaceObject_t s, int n, int faces) {
    for (int f = 0; f < faces; f++)
        for (int i = 0; i < n * n; i++)
            surf2DLayeredwrite((float)(f % 6 * 100 + i + f / 6 * 1000), s, i % n * 4, i / n, f);
}
__global__ void gather(cudaTextureObject_t t, float *out) {
    float4 g = tex2Dgather<float4>(t, 2.0f, 1.0f, 0);
    out[0] = g.x, out[1] = g.y, out[2] = g.z, out[3] = g.w;
}
static float *d, h[64];
static void fetch(const char *what, int n) {
    CK(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost));
    printf("%s", what);
    for (int i = 0; i < n; i++) printf(" %g", h[i]);
    printf("\n");
}
static cudaTextureObject_t view(cudaArray_t a, cudaTextureFilterMode filter, int normal) {
    cudaResourceDesc r = {};
    cudaTextureDesc x = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    x.filterMode = filter, x.normalizedCoords = normal;
    x.addressMode[0] = x.addressMode[1] = x.addressMode[2] = cudaAddressModeClamp;
    CK(cudaCreateTextureObject(&t, &r, &x, NULL));
    return t;
}
static cudaArray_t make(int n, int m, int faces, unsigned flags) {
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CK(cudaMalloc3DArray(&a, &f, make_cudaExtent(n, m, faces), flags));
    return a;
}
static void upload(cudaArray_t a, int n, int m, int faces, const float *from) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)from, n * 4, n, m ? m : 1), p.dstArray = a;
    p.extent = make_cudaExtent(n, m ? m : 1, faces), p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
}
int main() {
    enum { N = 4 };
    std::vector<float> texels(6 * N * N);
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < N * N; i++) texels[f * N * N + i] = f * 100 + i;
    CK(cudaMalloc(&d, 256));
    float3 *at;
    CK(cudaMalloc(&at, 1024));
    cudaArray_t cube = make(N, N, 6, cudaArrayCubemap);
    upload(cube, N, N, 6, texels.data());
    cudaTextureObject_t point = view(cube, cudaFilterModePoint, 1);
    // The middle of each face, moved a little towards its first texel (s, t below the middle by the guide's table) by a quarter.
    float3 faces[] = {{1, .9f, .9f}, {-1, .9f, -.9f}, {-.9f, 1, -.9f}, {-.9f, -1, .9f}, {-.9f, .9f, 1}, {.9f, .9f, -1}};
    CK(cudaMemcpy(at, faces, sizeof faces, cudaMemcpyHostToDevice));
    directions<<<1, 1>>>(point, at, 6, d);
    CK(cudaMemcpy(h, d, 24, cudaMemcpyDeviceToHost));
    printf("faces");
    for (int i = 0; i < 6; i++) printf(" %g", h[i] / 100);
    printf("\n");
    // -y: s = x, t = -z
    float3 corners[] = {{-.9f, -1, .9f}, {.9f, -1, .9f}, {-.9f, -1, -.9f}, {.9f, -1, -.9f}};
    CK(cudaMemcpy(at, corners, sizeof corners, cudaMemcpyHostToDevice));
    directions<<<1, 1>>>(point, at, 4, d), fetch("corner texels", 4);
    float3 middle[] = {{-2, 0, 0}};
    CK(cudaMemcpy(at, middle, sizeof middle, cudaMemcpyHostToDevice));
    directions<<<1, 1>>>(view(cube, cudaFilterModeLinear, 1), at, 1, d), fetch("linear", 1);
    cudaArray_t two = make(N, N, 12, cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = two;
    cudaSurfaceObject_t s;
    CK(cudaCreateSurfaceObject(&s, &r));
    fill<<<1, 1>>>(s, N, 12);
    cubes<<<1, 1>>>(view(two, cudaFilterModePoint, 1), d), fetch("layered cubes", 2);
    cudaArray_t stack = make(2, 2, 3, cudaArrayLayered);
    float numbers[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    upload(stack, 2, 2, 3, numbers);
    layers<<<1, 1>>>(view(stack, cudaFilterModePoint, 0), d), fetch("layers", 4);
    cudaArray_t rows = make(4, 0, 2, cudaArrayLayered);
    float line[] = {0, 1, 2, 3, 10, 11, 12, 13};
    upload(rows, 4, 0, 2, line);
    layers1<<<1, 1>>>(view(rows, cudaFilterModeLinear, 0), d), fetch("layered 1d", 1);
    cudaArray_t bad;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    printf("a cubemap of 4 x 3: ");
    NAME(cudaMalloc3DArray(&bad, &f, make_cudaExtent(4, 3, 6), cudaArrayCubemap));
    cudaArray_t g;
    CK(cudaMallocArray(&g, &f, 4, 4, cudaArrayTextureGather));
    CK(cudaMemcpy2DToArray(g, 0, 0, texels.data(), 16, 16, 4, cudaMemcpyHostToDevice));
    gather<<<1, 1>>>(view(g, cudaFilterModePoint, 0), d), fetch("gather", 4);
}
