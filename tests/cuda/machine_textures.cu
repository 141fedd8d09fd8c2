// Textures and surfaces whose handles are in registers, and those of few components, each against the host: tests/twins.py holds their machine code to their PTX.
// arch: sm_75
// std: c++17
// expect: from a table 0 wrong
// expect: some components 0 wrong
// expect: levels and slopes 0 wrong
// expect: in depth and layers 0 wrong
// expect: surfaces from a table 0 wrong
#include "common.h"
#include <vector>

const int W = 8, H = 8, COUNT = 4, N = 256;

static int texel(int k, int x, int y, int c) { return 1000 * k + 16 * (y * W + x) + c; }
__device__ int place(int i, int m) { return (i * 5 + 3) % m; }
static int at(int i, int m) { return (i * 5 + 3) % m; }

__global__ void table(float *out, const cudaTextureObject_t *t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTextureObject_t h = t[i % COUNT];
    float x = place(i, W) + 0.5f, y = place(i / W, H) + 0.5f;
    float4 g = tex2Dgather<float4>(h, x + 0.5f, y + 0.5f, 1);
    out[i] = tex2D<float>(h, x, y), out[N + i] = g.x + 3 * g.y + 5 * g.z + 7 * g.w;
}

__global__ void some(float *out, cudaTextureObject_t t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = place(i, W) + 0.5f, y = place(i / W, H) + 0.5f;
    float4 a = tex2D<float4>(t, x, y), b = tex2D<float4>(t, W - x, y), c = tex2D<float4>(t, x, H - y);
    out[i] = a.y + 2 * a.w, out[N + i] = b.x + 2 * b.z + 3 * b.w, out[2 * N + i] = c.z;
}

__global__ void slopes(float *out, const cudaTextureObject_t *t, float level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = place(i, W) + 0.5f, y = place(i / W, H) + 0.5f;
    out[i] = tex2DLod<float>(t[i % COUNT], x, y, level) + 3 * tex2DLod<float>(t[1], y, x, level);
    out[i] += 5 * tex2DGrad<float>(t[2], x, y, make_float2(0.1f, level), make_float2(0.3f, 0.2f));
    out[i] += 7 * tex2DGrad<float>(t[i % 2], y, x, make_float2(0.1f, level), make_float2(0.3f, 0.2f));
}

// t[0] has depth, t[1] layers
__global__ void deep(float *out, const cudaTextureObject_t *t, cudaTextureObject_t depth, cudaTextureObject_t layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = place(i, W) + 0.5f, y = place(i / W, H) + 0.5f;
    out[i] = tex3D<float>(depth, x, y, i % COUNT + 0.5f) + 3 * tex3D<float>(t[0], y, x, i % 3 + 0.5f);
    out[i] += 5 * tex2DLayered<float>(layers, x, y, i % COUNT) + 7 * tex2DLayered<float>(t[1], y, x, i % 3);
}

__global__ void surfaces(const cudaSurfaceObject_t *s, cudaSurfaceObject_t layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % W, y = i / W % H, k = i / (W * H);
    float4 v = surf2Dread<float4>(s[k], x * 16, y);
    unsigned short low = surf2Dread<unsigned short>(s[k], x * 16 + 2, y);
    surf2DLayeredwrite(v.x + v.y + low, layers, x * 4, y, k);
    surf2Dwrite(make_float2(v.w, v.z), s[k], x * 16 + 8, y);
    surf2Dwrite(7.0f, s[k], (x + W) * 16, y, cudaBoundaryModeZero); // outside
}

static cudaTextureObject_t view(cudaArray_t a) {
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    for (auto &m : d.addressMode) m = cudaAddressModeClamp;
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static cudaSurfaceObject_t surface(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    cudaSurfaceObject_t s;
    CK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static cudaArray_t box(unsigned flags) {
    cudaArray_t a;
    cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    CK(cudaMalloc3DArray(&a, &one, make_cudaExtent(W, H, COUNT), flags));
    std::vector<float> v(W * H * COUNT);
    for (int i = 0; i < W * H * COUNT; i++) v[i] = texel(i / (W * H), i % W, i / W % H, 0);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), W * 4, W, H), p.dstArray = a;
    p.extent = make_cudaExtent(W, H, COUNT), p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    return a;
}

static float *out;
template <typename F> static void compare(const char *what, int n, F want) {
    static float got[3 * N];
    int wrong = 0;
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got, out, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) wrong += got[i] != want(i);
    printf("%s %d wrong\n", what, wrong);
}

int main() {
    cudaTextureObject_t t[COUNT], *table_d;
    cudaSurfaceObject_t s[COUNT], *surfaces_d;
    cudaArray_t a[COUNT];
    cudaChannelFormatDesc four = cudaCreateChannelDesc<float4>();
    for (int k = 0; k < COUNT; k++) {
        std::vector<float> v(W * H * 4);
        for (int i = 0; i < W * H * 4; i++) v[i] = texel(k, i / 4 % W, i / 4 / W, i % 4);
        CK(cudaMallocArray(&a[k], &four, W, H, cudaArraySurfaceLoadStore | cudaArrayTextureGather));
        CK(cudaMemcpy2DToArray(a[k], 0, 0, v.data(), W * 16, W * 16, H, cudaMemcpyHostToDevice));
        t[k] = view(a[k]), s[k] = surface(a[k]);
    }
    CK(cudaMalloc(&table_d, sizeof t));
    CK(cudaMalloc(&surfaces_d, sizeof s));
    CK(cudaMalloc(&out, 3 * N * 4));
    CK(cudaMemcpy(table_d, t, sizeof t, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(surfaces_d, s, sizeof s, cudaMemcpyHostToDevice));

    table<<<N / 64, 64>>>(out, table_d);
    compare("from a table", 2 * N, [](int i) -> float {
        int j = i % N, x = at(j, W), y = at(j / W, H), X = x + 1 < W ? x + 1 : x, Y = y + 1 < H ? y + 1 : y, k = j % COUNT;
        if (i < N) return texel(k, x, y, 0);
        return texel(k, x, Y, 1) + 3 * texel(k, X, Y, 1) + 5 * texel(k, X, y, 1) + 7 * texel(k, x, y, 1);
    });
    some<<<N / 64, 64>>>(out, t[3]);
    compare("some components", 3 * N, [](int i) -> float {
        int j = i % N, x = at(j, W), y = at(j / W, H), u = W - 1 - x, v = H - 1 - y;
        if (i < N) return texel(3, x, y, 1) + 2 * texel(3, x, y, 3);
        return i < 2 * N ? texel(3, u, y, 0) + 2 * texel(3, u, y, 2) + 3 * texel(3, u, y, 3) : texel(3, x, v, 2);
    });
    slopes<<<N / 64, 64>>>(out, table_d, 0.7f);
    compare("levels and slopes", N, [](int i) -> float {
        int x = at(i, W), y = at(i / W, H);
        return texel(i % COUNT, x, y, 0) + 3 * texel(1, y, x, 0) + 5 * texel(2, x, y, 0) + 7 * texel(i % 2, y, x, 0);
    });
    cudaArray_t depth = box(0), layers = box(cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaTextureObject_t both[COUNT] = {view(depth), view(layers), t[2], t[3]};
    CK(cudaMemcpy(table_d, both, sizeof both, cudaMemcpyHostToDevice));
    deep<<<N / 64, 64>>>(out, table_d, both[0], both[1]);
    compare("in depth and layers", N, [](int i) -> float {
        int x = at(i, W), y = at(i / W, H);
        return 6 * texel(i % COUNT, x, y, 0) + 10 * texel(i % 3, y, x, 0);
    });
    surfaces<<<N / 64, 64>>>(surfaces_d, surface(layers));
    std::vector<float> sums(N), changed(W * H * 4);
    cudaMemcpy3DParms p = {};
    p.srcArray = layers, p.dstPtr = make_cudaPitchedPtr(sums.data(), W * 4, W, H);
    p.extent = make_cudaExtent(W, H, COUNT), p.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&p));
    int wrong = 0;
    for (int k = 0; k < COUNT; k++) {
        CK(cudaMemcpy2DFromArray(changed.data(), W * 16, a[k], 0, 0, W * 16, H, cudaMemcpyDeviceToHost));
        for (int i = 0; i < W * H; i++) {
            float first = texel(k, i % W, i / W, 0);
            unsigned bits;
            memcpy(&bits, &first, 4);
            wrong += sums[k * W * H + i] != 2 * first + 1 + (bits >> 16);
            for (int c = 0; c < 4; c++) wrong += changed[i * 4 + c] != first + (c < 2 ? c : 5 - c);
        }
    }
    printf("surfaces from a table %d wrong\n", wrong);
}
