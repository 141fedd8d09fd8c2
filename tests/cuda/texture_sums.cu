// What the hardware's filter makes of floats and halves that are far apart, beside a formula on the host that an H100 agrees with
// for all of these. Of what takes part each texel is cut off four bits behind the last one of the largest; products with weights of
// 8 bits are added exactly; the sum is rounded once, away from zero at half. Floats that are not normal are 0, in texels and sums;
// halves are not. Infinities and what is no number count where a weight's product is rounded to 0 as well, other than finite texels.
// fast
// expect: floats, near: 0 of 261120 wrong
// expect: floats, far: 0 of 261120 wrong
// expect: floats, of all kinds: 0 of 261120 wrong
// expect: halves: 0 of 261120 wrong
// expect: integers with a sign: 0 of 261120 wrong
#include "common.h"
#include <cmath>
#include <cstring>
#include <vector>
enum { W = 512, H = 256 };
// Pair p of row y: texels 2 p and 2 p + 1, and the two below.
__global__ void pairs(float *o, cudaTextureObject_t t, float x, float y) {
    o[blockIdx.x * 256 + threadIdx.x] = tex2D<float>(t, 2 * threadIdx.x + 0.5f + x / 256, blockIdx.x + 0.5f + y / 256);
}
static unsigned state = 4711;
static unsigned any() { return state = state * 1664525u + 1013904223u, state ^ state >> 15; }
template <class T> cudaTextureObject_t texture(const std::vector<T> &v, cudaChannelFormatDesc c, bool fraction) {
    cudaArray_t a;
    CK(cudaMallocArray(&a, &c, W, H));
    CK(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp, d.filterMode = cudaFilterModeLinear;
    d.readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}
static double half(unsigned h) { // no infinity
    double x = std::ldexp(double(h & 1023) + (h >> 10 & 31 ? 1024 : 0), (h >> 10 & 31 ? int(h >> 10 & 31) : 1) - 25);
    return h >> 15 ? -x : x;
}
static double away(double x, double unit) { return std::copysign(std::floor(std::fabs(x) / unit + 0.5) * unit, x); }
static float sum(const double texel[4], int x, int y, int bits, double least) {
    int xy = (x * y + 128) / 256, part[4] = {256 - x - y + xy, x - xy, y - xy, xy}, top = -2000, e;
    double t[4], odd = 0, s = -0.0;
    bool takes[4] = {x < 256 && y < 256, x && y < 256, x < 256 && y, x && y}, any_odd = false;
    for (int q = 0; q < 4; q++) {
        t[q] = std::fabs(texel[q]) < least ? std::copysign(0, texel[q]) : texel[q];
        if (takes[q] && !std::isfinite(t[q])) odd += t[q], any_odd = true;
        else if (takes[q] && part[q] && t[q] != 0) std::frexp(t[q], &e), top = e > top ? e : top;
    }
    if (any_odd) return odd;
    for (int q = 0; q < 4; q++)
        if (takes[q] && !part[q] && t[q] != 0) s += 0;
        else if (takes[q]) s += part[q] / 256.0 * (t[q] == 0 ? t[q] : std::ldexp(std::trunc(std::ldexp(t[q], bits - top)), top - bits));
    if (std::fabs(s) < least) return std::copysign(0, s);
    std::frexp(s, &e);
    return bits == 28 ? away(s, std::ldexp(1, e - 24)) : away(s, std::ldexp(1, (e < -13 ? -13 : e) - 11));
}
static float integers(const double t[4], int x, int y) {
    int xy = (x * y + 128) / 256;
    double s = std::floor(((256 - x - y + xy) * t[0] + (x - xy) * t[1] + (y - xy) * t[2] + xy * t[3]) / 256 + 0.5);
    return s < -32767 ? -1 : s / 32767;
}
int main() {
    static const char *const names[] = {"floats, near", "floats, far", "floats, of all kinds", "halves", "integers with a sign"};
    static const int at[4][2] = {{16, 0}, {0, 128}, {77, 193}, {255, 1}};
    float *out;
    CK(cudaMalloc(&out, 65536 * 4));
    std::vector<float> got(65536);
    for (int set = 0; set < 5; set++) {
        std::vector<float> f(W * H);
        std::vector<unsigned short> h(W * H);
        std::vector<double> v(W * H);
        for (int i = 0; i < W * H; i++) {
            unsigned r = any(), e = set == 0 ? 115 + any() % 24 : 87 + any() % 80, kind = any() % 8;
            r = (r & 0x807fffff) | e << 23;
            if (set == 2) r = kind < 2 ? r & 0x807fffff : kind == 2 ? r & 0x80000000 : kind == 3 ? (r & 0x80000000) | 0x7f800000 : kind == 4 ? r | 0x7f800000 : kind == 5 ? r & 0x817fffff : r;
            std::memcpy(&f[i], &r, 4);
            h[i] = set == 3 ? (r & 0x83ff) | any() % 31 << 10 : kind ? r : any() % 2 ? 0x8000 : 0x8001;
            v[i] = set < 3 ? f[i] : set == 3 ? half(h[i]) : (short)h[i];
        }
        cudaTextureObject_t t = set < 3    ? texture(f, cudaCreateChannelDesc<float>(), false)
                                : set == 3 ? texture(h, cudaCreateChannelDescHalf(), false)
                                           : texture(h, cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSigned), true);
        int wrong = 0, all = 0;
        for (auto &c : at) {
            pairs<<<H, 256>>>(out, t, c[0], c[1]);
            CK(cudaMemcpy(got.data(), out, 65536 * 4, cudaMemcpyDeviceToHost));
            for (int y = 0; y < H - 1; y++)
                for (int p = 0; p < 256; p++, all++) {
                    const double *a = &v[y * W + 2 * p], quad[4] = {a[0], a[1], a[W], a[W + 1]};
                    float want = set == 4 ? integers(quad, c[0], c[1]) : sum(quad, c[0], c[1], set == 3 ? 15 : 28, set == 3 ? 0 : 0x1p-126);
                    float is = got[y * 256 + p];
                    wrong += std::isnan(want) ? !std::isnan(is) : want != is || std::signbit(want) != std::signbit(is);
                }
        }
        printf("%s: %d of %d wrong\n", names[set], wrong, all);
    }
}
