// Which level of a mipmapped array is read and how two are mixed, beside formulas on the host that an H200 agrees with. Levels, bias and bounds have 8
// fraction bits, what is beyond is cut off towards 0. By gradients: of each part, in texels, ten bits count; a vector is its longest part, 11/32 of the
// next and a quarter of the shortest; a pixel reaches as far as the longer gradient, or 11/16 of their sum or difference; log2 of that by its first
// eight bits. Texels of two levels are one sum: each level's share is cut along x, then along y.
// gpu limit: mipmapped arrays are of the simulated device
// expect: levels by number: 0 of 196608 wrong
// expect: by a gradient, 1 dimension: 0 of 65536 wrong
// expect: by a gradient, 2 dimensions: 0 of 65536 wrong
// expect: by a gradient, 100 x 60: 0 of 65536 wrong
// expect: by two gradients, 1 dimension: 0 of 65536 wrong
// expect: by two gradients, 2 dimensions: 0 of 65536 more than 2/256 away, 300 at most are
// expect: two levels of floats: 0 of 65536 wrong
// expect: two levels of bytes: 0 of 65536 wrong
// expect: two levels of signed 16 bits: 0 of 65536 wrong
#include "common.h"
#include <algorithm>
#include <cmath>
#include <vector>
enum { N = 1 << 16, LEVELS = 6 };
struct query {
    float x, y, level, dx[2], dy[2];
};
enum form { NUMBER, GRADIENT_1, GRADIENT_2 };
__global__ void ask(cudaTextureObject_t t, const query *q, form how, float *o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    query a = q[i];
    o[i] = how == NUMBER       ? tex2DLod<float>(t, a.x, a.y, a.level)
           : how == GRADIENT_1 ? tex1DGrad<float>(t, a.x, a.dx[0], a.dy[0])
                               : tex2DGrad<float>(t, a.x, a.y, make_float2(a.dx[0], a.dx[1]), make_float2(a.dy[0], a.dy[1]));
}
static unsigned state = 4711;
static unsigned any() { return state = state * 1664525u + 1013904223u, state >> 8; }
static std::vector<query> q(N);
static std::vector<float> answer(N);
static void run(cudaMipmappedArray_t m, form how, bool linear, bool mix, bool fraction = false, float bias = 0, float low = 0, float high = 20) {
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    query *in;
    float *out;
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeWrap, d.normalizedCoords = 1;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapFilterMode = mix ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.mipmapLevelBias = bias, d.minMipmapLevelClamp = low, d.maxMipmapLevelClamp = high;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    CK(cudaMalloc(&in, N * sizeof(query)));
    CK(cudaMalloc(&out, N * sizeof(float)));
    CK(cudaMemcpy(in, q.data(), N * sizeof(query), cudaMemcpyHostToDevice));
    ask<<<N / 256, 256>>>(t, in, how, out);
    CK(cudaMemcpy(answer.data(), out, N * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaDestroyTextureObject(t));
    CK(cudaFree(in));
    CK(cudaFree(out));
}
template <class T> cudaMipmappedArray_t pyramid(int w, int h, cudaChannelFormatDesc c, std::vector<T> texel[LEVELS]) {
    cudaMipmappedArray_t m;
    CK(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(w, h, 0), LEVELS));
    for (int k = 0; k < LEVELS; k++) {
        cudaArray_t a;
        int wide = std::max(w >> k, 1), high = std::max(h >> k, 1);
        texel[k].resize(wide * high, T(k * 256)); // a fetch of such a level tells 256 times its number
        CK(cudaGetMipmappedArrayLevel(&a, m, k));
        CK(cudaMemcpy2DToArray(a, 0, 0, texel[k].data(), wide * sizeof(T), wide * sizeof(T), high, cudaMemcpyHostToDevice));
    }
    return m;
}
static int bounded(int level, float bias = 0, float low = 0, float high = 20) {
    level = std::max(level + int(bias * 256), int(low * 256));
    return std::min(std::max(std::min(level, int(high * 256)), 0), (LEVELS - 1) * 256);
}

// m times 2 to the e, m of ten bits
struct number {
    long m;
    int e;
};
static number ten(long m, int e) {
    if (!m) return {0, -1000};
    while (m < 512) m *= 2, e--;
    while (m > 1023) m /= 2, e++;
    return {m, e};
}
static bool less(number a, number b) { return std::make_pair(a.e, a.m) < std::make_pair(b.e, b.m); }
static long down(long m, int by) { return by > 40 ? 0 : m >> by; }
static number texels(float part, int size) {
    int e, log = int(std::log2(size));
    long m = long(std::ldexp(std::frexp(std::fabs(part), &e), 10));
    return part ? ten((m * size + (7L << log) / 8) >> log, e - 10 + log) : number{0, -1000};
}
static number length(number x, number y) {
    if (less(x, y)) std::swap(x, y);
    return ten(x.m + down((11 * y.m + 4) / 32, x.e - y.e), x.e);
}
static number added(number x, number y, bool minus) {
    if (less(x, y)) std::swap(x, y);
    return minus ? ten(2 * x.m - down(2 * y.m, x.e - y.e), x.e - 1) : ten(x.m + down(y.m, x.e - y.e), x.e);
}
static int level_of(const query &a, int dims, int w, int h) {
    const int size[2] = {w, h};
    number d[2][2] = {{{0, -1000}, {0, -1000}}, {{0, -1000}, {0, -1000}}}, best;
    for (int n = 0; n < dims; n++) d[0][n] = texels(a.dx[n], size[n]), d[1][n] = texels(a.dy[n], size[n]);
    best = std::max(length(d[0][0], d[0][1]), length(d[1][0], d[1][1]), less);
    for (int sign = 0; sign < 2; sign++) {
        number r[2];
        for (int n = 0; n < 2; n++) {
            number s = added(d[0][n], d[1][n], (a.dx[n] < 0) != (a.dy[n] < 0) ? !sign : sign);
            r[n] = ten((11 * s.m + 4) / 8, s.e - 1);
        }
        best = std::max(best, length(r[0], r[1]), less);
    }
    if (!best.m) return -100000;
    int first = int(best.m / 2 - 256); // eight bits behind the first
    return (best.e + 9) * 256 + (first ? std::min(int(256 * std::log2(1 + (first + 0.5) / 256) + 0.47), 255) : 0);
}
static float part() { return (any() & 1 ? -1 : 1) * std::ldexp(1 + any() / 16777216.0f, -int(any() % 9) - 1); }

static void gradients(const char *name, int dims, int w, int h, int vectors, bool nearly = false) {
    std::vector<float> texel[LEVELS];
    cudaMipmappedArray_t m = pyramid(w, h, cudaCreateChannelDesc<float>(), texel);
    int wrong = 0, near = 0;
    for (query &a : q) {
        a = {0.3f, 0.4f};
        for (int n = 0; n < dims; n++) a.dx[n] = part(), a.dy[n] = vectors > 1 ? part() : 0;
        if (vectors == 1 && any() % 2) std::swap(a.dx[0], a.dy[0]), std::swap(a.dx[1], a.dy[1]);
    }
    run(m, dims == 1 ? GRADIENT_1 : GRADIENT_2, false, true);
    for (int i = 0; i < N; i++) {
        float off = std::fabs(answer[i] - bounded(level_of(q[i], dims, w, h)));
        wrong += off > (nearly ? 2 : 0);
        near += off > 0;
    }
    if (nearly) printf("by two gradients, 2 dimensions: %d of %d more than 2/256 away, %s are\n", wrong, N, near <= 300 ? "300 at most" : "more");
    else printf("%s: %d of %d wrong\n", name, wrong, N);
    CK(cudaFreeMipmappedArray(m));
}

static int product(int a, int b) { return (a * b + 128) / 256; }
// Of the level's share of 256, in 1/256, at the query; texels times that
template <class T> double share(const query &a, const std::vector<T> texel[], int k, int wide, int level, double unit) {
    int w = wide >> k, base[2], weight[2], right;
    for (int n = 0; n < 2; n++) {
        double at = (n ? a.y : a.x) * w - 0.5;
        base[n] = int(std::floor(at)), weight[n] = int((at - base[n]) * 256 + 0.5);
    }
    right = product(weight[0], level);
    double sum = 0;
    for (int x = 0; x < 2; x++) {
        int column = x ? right : level - right, up = product(column, x ? weight[1] : 256 - weight[1]);
        if (!x) up = column - up;
        for (int y = 0; y < 2; y++)
            sum += (y ? up : column - up) * unit * texel[k][(base[1] + y + w) % w * w + (base[0] + x + w) % w];
    }
    return sum / 256;
}
template <class T, class F> void levels(const char *name, cudaChannelFormatDesc c, double unit, F texel_at, float (*end)(double)) {
    std::vector<T> texel[LEVELS];
    for (int k = 0; k < LEVELS; k++)
        for (int n = 0; n < (64 >> k) * (64 >> k); n++) texel[k].push_back(texel_at());
    cudaMipmappedArray_t m = pyramid(64, 64, c, texel);
    int wrong = 0;
    for (query &a : q) a = {any() % 4096 / 4096.0f, any() % 4096 / 4096.0f, any() % 511 / 256.0f}; // whole weights
    run(m, NUMBER, true, true, sizeof(T) < 4);
    for (int i = 0; i < N; i++) {
        int level = int(q[i].level * 256), k = level / 256, upper = level % 256;
        double sum = share(q[i], texel, k, 64, 256 - upper, unit) + (upper ? share(q[i], texel, k + 1, 64, upper, unit) : 0);
        wrong += answer[i] != end(sum);
    }
    printf("two levels of %s: %d of %d wrong\n", name, wrong, N);
    CK(cudaFreeMipmappedArray(m));
}

int main() {
    std::vector<float> texel[LEVELS];
    cudaMipmappedArray_t m = pyramid(64, 64, cudaCreateChannelDesc<float>(), texel);
    const float set[3][3] = {{0, 0, 20}, {0.3f, 1.2f, 3.7f}, {-1.6f, 0.1f, 20}}; // bias, bounds
    int wrong = 0;
    for (int s = 0; s < 3; s++) {
        for (query &a : q) a = {0.3f, 0.4f, any() / 16777216.0f * 8 - 1};
        run(m, NUMBER, false, s != 1, false, set[s][0], set[s][1], set[s][2]);
        for (int i = 0; i < N; i++) {
            int level = bounded(int(q[i].level * 256), set[s][0], set[s][1], set[s][2]);
            wrong += answer[i] != (s == 1 ? (level + 128) / 256 * 256 : level);
        }
    }
    printf("levels by number: %d of %d wrong\n", wrong, 3 * N);
    CK(cudaFreeMipmappedArray(m));
    gradients("by a gradient, 1 dimension", 1, 256, 0, 1);
    gradients("by a gradient, 2 dimensions", 2, 128, 32, 1);
    gradients("by a gradient, 100 x 60", 2, 100, 60, 1);
    gradients("by two gradients, 1 dimension", 1, 256, 0, 2);
    gradients(NULL, 2, 64, 64, 2, true);
    levels<float>("floats", cudaCreateChannelDesc<float>(), 1, [] { return int(any() % 2000) / 16.0f - 60; }, [](double s) { return float(s); });
    levels<unsigned char>("bytes", cudaCreateChannelDesc<unsigned char>(), 257, [] { return (unsigned char)any(); },
                          [](double s) { return float(std::floor(s + 0.5) / 65535); });
    levels<short>("signed 16 bits", cudaCreateChannelDesc<short>(), 1, [] { return (short)any(); },
                  [](double s) { return float(std::max(std::floor(s + 0.5), -32767.0) / 32767); });
}
