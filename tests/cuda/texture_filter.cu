// What the hardware of textures makes of coordinates, weights and borders beyond what the documents say; an H100 gives these, and the host's formulas agree with it for all
// 65,536 pairs of weights and all 65,280 places between neighbouring bytes.
//   a normalized coordinate is cut off to 21 fraction bits before it is multiplied: 9 / 37 lies in texel 8
//   the product of two weights of 8 fraction bits is rounded to 8 bits, the other three corners follow from it
//   a volume is cut by z, each level by x, each of those by y, one side of a cut the rounded product and the other what is left (all of 400,000 triples)
//   beyond the middle of the last level, or row or column, a coordinate weighs as there
//   bytes are filtered as integers of 16 bits, rounded once
//   bytes with a sign are filtered as they are, with 8 fraction bits, and the sum is widened: all 65,281 of them
//   a sum of floats is rounded away from zero at half: (40 t0 + 216 t1) / 256 = 0x1.d757bdp+1
//   a border's colour is no more exact than a texel, and no larger than 1 where that is a fraction; integers have its bits
//   a row of one dimension has border above it where the second address mode says so
// fast
// expect: 8 6 1 35 20 4 16 26 10
// expect: 65536 pairs of weights, 0 wrong
// expect: 16384 triples of weights, 0 wrong
// expect: 16384 beyond the first level and the last, 0 wrong
// expect: 65280 between bytes, 0 wrong
// expect: 65280 between bytes with a sign, 0 wrong
// expect: 0x1.d757bep+1
// expect: u8 0x1.fdfdfep-2 0x1.313132p-2 0x1p+0 0x0p+0
// expect: s8 0x1.fbf7fp-2 0x1.3264cap-2 0x1p+0 -0x1.020408p-2
// expect: u16 0x1.fffep-2 0x1.333134p-2 0x1p+0 0x0p+0
// expect: s16 0x1.fffcp-2 0x1.333266p-2 0x1p+0 -0x1.0002p-2
// expect: half 0x1p-1 0x1.33p-2 0x1p+1 -0x1p-2
// expect: bits 0x9a 0xffff999a 0x3e99999a
// expect: -3.75 1.25 10
#include "common.h"
#include <cmath>
#include <vector>
template <class T> __global__ void row(T *o, cudaTextureObject_t t, float a, float step, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1D<T>(t, (a + step * i) / by);
}
__global__ void ninths(float *o, cudaTextureObject_t t) {
    const float k[] = {9, 7, 2, 36, 21, 5, 17, 27, 10.5f};
    if (threadIdx.x < 9) o[threadIdx.x] = tex1D<float>(t, __fdiv_rn(k[threadIdx.x], 37));
}
__global__ void corner(float *o, cudaTextureObject_t t) { o[blockIdx.x * 256 + threadIdx.x] = tex2D<float>(t, 0.5f + threadIdx.x / 256.0f, 0.5f + blockIdx.x / 256.0f); }
// Triple i of fractions: its three bytes.
__host__ __device__ unsigned triple(unsigned i) { unsigned h = i * 2654435761u; h ^= h >> 15, h *= 2246822519u, h ^= h >> 13; return h & 0xffffff; }
__global__ void inside(float *o, cudaTextureObject_t t) {
    unsigned i = blockIdx.x * 256 + threadIdx.x, h = triple(i);
    o[i] = tex3D<float>(t, 0.5f + (h & 255) / 256.0f, 0.5f + (h >> 8 & 255) / 256.0f, 0.5f + (h >> 16) / 256.0f);
}
__global__ void beyond(float *o, cudaTextureObject_t t) { // the first level, or the last
    unsigned i = blockIdx.x * 256 + threadIdx.x, h = triple(i);
    o[i] = tex3D<float>(t, 0.5f + (h & 255) / 256.0f, 0.5f + (h >> 8 & 255) / 256.0f, h >> 16 & 1 ? 1.5f + (h >> 16) / 256.0f : 0.5f - (h >> 16) / 256.0f);
}
static void *place; // of 64 K numbers
static cudaArray_t volume(const std::vector<float> &v) {
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms p = {};
    CK(cudaMalloc3DArray(&a, &c, make_cudaExtent(2, 2, 2)));
    p.srcPtr = make_cudaPitchedPtr((void *)v.data(), 8, 2, 2), p.dstArray = a, p.extent = make_cudaExtent(2, 2, 2), p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    return a;
}
template <class T> cudaArray_t array(const std::vector<T> &v, cudaChannelFormatDesc c, size_t width, size_t height) {
    cudaArray_t a;
    CK(cudaMallocArray(&a, &c, width, height));
    CK(cudaMemcpy2DToArray(a, 0, 0, v.data(), width * sizeof(T), width * sizeof(T), height ? height : 1, cudaMemcpyHostToDevice));
    return a;
}
static cudaTextureObject_t texture(cudaArray_t a, cudaTextureAddressMode m, bool linear, bool fraction, bool normalized, float border = 0, int dims = 3) {
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    for (int i = 0; i < dims; i++) d.addressMode[i] = m;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = normalized, d.borderColor[0] = border;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}
template <class T> std::vector<T> got(size_t n) {
    std::vector<T> v(n);
    CK(cudaMemcpy(v.data(), place, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
template <class T> void borders(const char *name, cudaChannelFormatDesc c, bool fraction) {
    cudaArray_t a = array(std::vector<T>(16), c, 16, 0);
    printf("%s", name);
    for (float b : {0.5f, 0.3f, 2.0f, -0.25f}) {
        row<float><<<1, 1>>>((float *)place, texture(a, cudaAddressModeBorder, false, fraction, false, b), -5, 0, 1, 1);
        printf(" %a", got<float>(1)[0]);
    }
    puts("");
}
template <class T, class V> V bits() {
    cudaArray_t a = array(std::vector<T>(16), cudaCreateChannelDesc<T>(), 16, 0);
    row<V><<<1, 1>>>((V *)place, texture(a, cudaAddressModeBorder, false, false, false, 0.3f), -5, 0, 1, 1);
    return got<V>(1)[0];
}
int main() {
    CK(cudaMalloc(&place, 65536 * 4));
    std::vector<float> ramp(37), one(4), two = {0x1.b15dbcp+6f, -0x1.f65de8p+3f};
    for (int i = 0; i < 37; i++) ramp[i] = i;
    cudaArray_t r = array(ramp, cudaCreateChannelDesc<float>(), 37, 0);
    ninths<<<1, 32>>>((float *)place, texture(r, cudaAddressModeClamp, false, false, true));
    for (float v : got<float>(9)) printf("%g%s", v, v == 10 ? "\n" : " ");
    int wrong = 0;
    for (int n = 0; n < 4; n++) {
        one.assign(4, 0), one[n] = 1;
        corner<<<256, 256>>>((float *)place, texture(array(one, cudaCreateChannelDesc<float>(), 2, 2), cudaAddressModeClamp, true, false, false));
        std::vector<float> v = got<float>(65536);
        for (int y = 0; y < 256; y++)
            for (int x = 0; x < 256; x++) {
                int xy = (x * y + 128) / 256, part[] = {256 - x - y + xy, x - xy, y - xy, xy};
                wrong += v[y * 256 + x] != part[n] / 256.0f;
            }
    }
    printf("65536 pairs of weights, %d wrong\n", wrong);
    wrong = 0;
    for (int n = 0; n < 8; n++) {
        one.assign(8, 0), one[n] = 1;
        inside<<<64, 256>>>((float *)place, texture(volume(one), cudaAddressModeClamp, true, false, false));
        std::vector<float> v = got<float>(16384);
        for (int i = 0; i < 16384; i++) {
            unsigned h = triple(i);
            int x = h & 255, y = h >> 8 & 255, z = h >> 16, level = n & 4 ? z : 256 - z, right = (x * level + 128) / 256;
            int column = n & 1 ? right : level - right, cut = (column * (n & 1 ? y : 256 - y) + 128) / 256;
            wrong += v[i] != (!(n & 1) == !(n & 2) ? cut : column - cut) / 256.0f;
        }
    }
    printf("16384 triples of weights, %d wrong\n", wrong);
    wrong = 0;
    for (int n = 0; n < 8; n++) {
        one.assign(8, 0), one[n] = 1;
        beyond<<<64, 256>>>((float *)place, texture(volume(one), cudaAddressModeClamp, true, false, false));
        std::vector<float> v = got<float>(16384);
        for (int i = 0; i < 16384; i++) {
            unsigned h = triple(i);
            int x = h & 255, y = h >> 8 & 255, upper = h >> 16 & 1, column = n & 1 ? x : 256 - x, cut = (column * (n & 1 ? y : 256 - y) + 128) / 256;
            wrong += v[i] != (!(n & 4) != !upper ? 0 : !(n & 1) == !(n & 2) ? cut : column - cut) / 256.0f;
        }
    }
    printf("16384 beyond the first level and the last, %d wrong\n", wrong);
    std::vector<unsigned char> b(256);
    for (int i = 0; i < 256; i++) b[i] = i * 167;
    row<float><<<255, 256>>>((float *)place, texture(array(b, cudaCreateChannelDesc<unsigned char>(), 256, 0), cudaAddressModeClamp, true, true, false), 128, 1, 256, 65280);
    std::vector<float> v = got<float>(65280);
    wrong = 0;
    for (int i = 0; i < 65280; i++) {
        int w = i % 256, sum = (256 - w) * 257 * b[i / 256] + w * 257 * b[i / 256 + 1];
        wrong += v[i] != (float)((sum + 128) / 256 / 65535.0);
    }
    printf("65280 between bytes, %d wrong\n", wrong);
    std::vector<signed char> c(b.begin(), b.end());
    row<float><<<255, 256>>>((float *)place, texture(array(c, cudaCreateChannelDesc<signed char>(), 256, 0), cudaAddressModeClamp, true, true, false), 128, 1, 256, 65280);
    v = got<float>(65280), wrong = 0;
    for (int i = 0; i < 65280; i++) {
        int w = i % 256, sum = (256 - w) * c[i / 256] + w * c[i / 256 + 1], wide = sum + ((sum + 64 + 16 * (sum >> 12)) >> 7);
        wrong += v[i] != (float)((wide < -32767 ? -32767 : wide) / 32767.0);
    }
    printf("65280 between bytes with a sign, %d wrong\n", wrong);
    row<float><<<1, 1>>>((float *)place, texture(array(two, cudaCreateChannelDesc<float>(), 2, 0), cudaAddressModeClamp, true, false, false), 0.5f + 216 / 256.0f, 0, 1, 1);
    printf("%a\n", got<float>(1)[0]);
    borders<unsigned char>("u8", cudaCreateChannelDesc<unsigned char>(), true);
    borders<signed char>("s8", cudaCreateChannelDesc<signed char>(), true);
    borders<unsigned short>("u16", cudaCreateChannelDesc<unsigned short>(), true);
    borders<short>("s16", cudaCreateChannelDesc<short>(), true);
    borders<unsigned short>("half", cudaCreateChannelDescHalf(), false);
    printf("bits 0x%x 0x%x 0x%x\n", bits<unsigned char, unsigned>(), (unsigned)bits<short, int>(), bits<unsigned, unsigned>());
    float line[3];
    for (int i = 0; i < 3; i++) { // texels 0 and 10, half border; 10 where the second mode is not the border's
        row<float><<<1, 1>>>((float *)place, texture(r, cudaAddressModeBorder, true, false, false, -7.5f, i == 2 ? 1 : 3), i ? 10.5f : 0.5f, 0, 1, 1);
        line[i] = got<float>(1)[0];
    }
    printf("%g %g %g\n", line[0], line[1], line[2]);
}
