// Columns of pixels by .im2col (PTX ISA 5.5.4): three to five dimensions, corners that differ, offsets of the filter, steps, channels and images out of
// bounds, swizzled, stored by .im2col_no_offs, reduced. What is expected is walked here pixel by pixel: along W from where the filter begins, then along H
// and D from the lower corner on, then the next image. Stores need corners within the tensor (tensor_im2col_corner.cu).
// arch: sm_90
// expect: NWC 0 wrong
// expect: NHWC 0 wrong
// expect: NDHWC 0 wrong
// expect: steps 0 wrong
// expect: swizzled 0 wrong
// expect: stored 0 wrong
// expect: added 0 wrong
// expect: empty box: CUDA_ERROR_INVALID_VALUE
// expect: corner too far: CUDA_ERROR_INVALID_VALUE
// expect: 1025 pixels: CUDA_ERROR_INVALID_VALUE
#include "tma.h"
#include <vector>
enum { MOST = 4096 };
typedef CUresult (*im2col_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *, const int *, cuuint32_t,
                              cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static im2col_fn encode;
struct place { int at[5]; unsigned short off[3]; };

template <int D> __global__ void load(const __grid_constant__ CUtensorMap m, place p, unsigned bytes, unsigned *out) {
    __shared__ alignas(1024) unsigned s[MOST];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = AT(&bar);
    if (threadIdx.x == 0) {
        bar_init(b, 1);
        bar_expect(b, bytes);
        const int *c = p.at;
#define HEAD "cp.async.bulk.tensor."
#define TAIL ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, "
        if (D == 3) {
            asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%0, {%1, %2, %3}], {%4};" ::"l"(&m), "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(p.off[0]) : "memory");
            asm volatile(HEAD "3d" TAIL "{%3, %4, %5}], [%2], {%6};" ::"r"(AT(s)), "l"(&m), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(p.off[0]) : "memory");
        }
        if (D == 4)
            asm volatile(HEAD "4d" TAIL "{%3, %4, %5, %6}], [%2], {%7, %8};"
                         ::"r"(AT(s)), "l"(&m), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(p.off[0]), "h"(p.off[1]) : "memory");
        if (D == 5)
            asm volatile(HEAD "5d" TAIL "{%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};"
                         ::"r"(AT(s)), "l"(&m), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "h"(p.off[0]), "h"(p.off[1]), "h"(p.off[2]) : "memory");
    }
    __syncthreads();
    bar_wait(b, 0);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) out[i] = s[i];
}
template <bool add> __global__ void store(const __grid_constant__ CUtensorMap m, place p, int words) {
    __shared__ alignas(1024) unsigned s[MOST];
    for (int i = threadIdx.x; i < words; i += blockDim.x) s[i] = 1000000 + i;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x) return;
    if (add)
        asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group [%0, {%1, %2, %3, %4}], [%5];"
                     ::"l"(&m), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(AT(s)) : "memory");
    else
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %3, %4}], [%5];"
                     ::"l"(&m), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(AT(s)) : "memory");
    bulk_commit(), bulk_drain();
}

struct images { // C, W, H, D, N as far as there are; the last is N
    std::vector<unsigned> v;
    unsigned *d;
    int rank, channels, pixels;
    cuuint64_t dim[5], stride[4];
    int lower[3], upper[3];
    cuuint32_t step[5] = {1, 1, 1, 1, 1};
    CUtensorMap map;
    CUresult made;
    images(std::vector<int> dims, std::vector<int> low, std::vector<int> high, int channels, int pixels, std::vector<int> steps = {},
           CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) : rank(dims.size()), channels(channels), pixels(pixels) {
        size_t bytes = 4;
        for (int k = 0; k < rank; k++) {
            dim[k] = dims[k], bytes *= dims[k];
            if (k < 4) stride[k] = bytes;
        }
        for (size_t k = 0; k < low.size(); k++) lower[k] = low[k], upper[k] = high[k];
        for (size_t k = 0; k < steps.size(); k++) step[k + 1] = steps[k];
        v.resize(bytes / 4);
        for (size_t i = 0; i < v.size(); i++) v[i] = (unsigned)i + 1;
        CK(cudaMalloc(&d, bytes)), CK(cudaMemcpy(d, v.data(), bytes, cudaMemcpyHostToDevice));
        made = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, d, dim, stride, lower, upper, channels, pixels, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
    ~images() { cudaFree(d); }
    // Indices of the column's words in memory, -1: out of bounds.
    std::vector<long> walk(const place &p) const {
        std::vector<long> w;
        int at[5];
        for (int k = 0; k < rank; k++) at[k] = p.at[k];
        for (int n = 0; n < pixels; n++) {
            for (int c = 0; c < channels; c++) {
                long i = p.at[0] + c;
                bool in = i >= 0 && i < (long)dim[0];
                for (int k = 1; k < rank; k++) {
                    long x = at[k] + (k + 1 < rank ? p.off[k - 1] : 0);
                    in &= x >= 0 && x < (long)dim[k];
                    i += x * (long)(stride[k - 1] / 4);
                }
                w.push_back(in ? i : -1);
            }
            for (int k = 1; k < rank; k++) {
                at[k] += k + 1 < rank ? step[k] : 1;
                if (k + 1 == rank || at[k] <= (int)dim[k] + upper[k - 1] - 1) break;
                at[k] = lower[k - 1];
            }
        }
        return w;
    }
};
template <int D> int compare(const images &m, std::vector<place> places, int span = 0) {
    int wrong = 0, words = m.channels * m.pixels;
    if (m.made) return printf("no map: %d\n", m.made), 1;
    unsigned *out;
    CK(cudaMalloc(&out, 4 * words));
    for (auto &p : places) {
        std::vector<unsigned> got(words);
        load<D><<<1, 64>>>(m.map, p, 4 * words, out);
        CK(cudaMemcpy(got.data(), out, 4 * words, cudaMemcpyDeviceToHost));
        auto w = m.walk(p);
        for (int i = 0; i < words; i++) {
            unsigned byte = 4 * i;
            if (span) byte ^= (byte >> 7 & (span / 16 - 1)) << 4;
            wrong += got[byte / 4] != (w[i] < 0 ? 0 : m.v[w[i]]);
        }
    }
    CK(cudaFree(out));
    return wrong;
}
template <bool add> int stored(std::vector<place> places) {
    int wrong = 0;
    for (auto &p : places) {
        images m({12, 9, 7, 3}, {1, 0}, {0, -1}, 8, 50, {2, 1});
        std::vector<unsigned> want = m.v, got(m.v.size());
        auto w = m.walk(p);
        for (size_t i = 0; i < w.size(); i++)
            if (w[i] >= 0) want[w[i]] = (add ? want[w[i]] : 0) + 1000000 + i;
        store<add><<<1, 64>>>(m.map, p, w.size());
        CK(cudaMemcpy(got.data(), m.d, 4 * got.size(), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < got.size(); i++) wrong += got[i] != want[i];
    }
    return wrong;
}
int main() {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &f, 12000, cudaEnableDefault, &found));
    if (!(encode = (im2col_fn)f)) return puts("no cuTensorMapEncodeIm2col"), 1;
    printf("NWC %d wrong\n", compare<3>(images({16, 20, 6}, {-2}, {-1}, 8, 30), {{{0, -2, 0}, {0}}, {{8, 5, 1}, {2}}, {{12, 18, 4}, {1}}, {{0, 0, 5}, {3}}}));
    // a filter of 3 columns and 2 rows; the corners differ between W and H
    printf("NHWC %d wrong\n", compare<4>(images({16, 9, 14, 5}, {-1, 0}, {-1, -1}, 8, 64), {{{0, 7, 4, 0}, {0, 0}}, {{8, -1, 0, 1}, {2, 1}}, {{4, 3, 12, 4}, {1, 1}}}));
    printf("NDHWC %d wrong\n", compare<5>(images({8, 6, 5, 4, 3}, {-1, -2, 0}, {-1, 0, -1}, 4, 100), {{{0, -1, -2, 0, 0}, {0, 0, 0}}, {{4, 2, 3, 2, 1}, {2, 1, 1}}, {{0, 4, 4, 2, 2}, {1, 2, 0}}}));
    printf("steps %d wrong\n", compare<4>(images({16, 8, 14, 4}, {-1, -1}, {-1, -1}, 16, 32, {2, 2}), {{{0, 5, 5, 0}, {1, 1}}, {{0, -1, -1, 1}, {0, 2}}, {{4, 3, 11, 3}, {2, 0}}}));
    printf("swizzled %d wrong\n", compare<4>(images({32, 9, 7, 3}, {-1, 0}, {-1, -1}, 32, 30, {}, CU_TENSOR_MAP_SWIZZLE_128B), {{{0, 3, 2, 0}, {1, 0}}, {{0, 6, 5, 1}, {2, 1}}}, 128));
    std::vector<place> places = {{{0, 1, 0, 0}, {}}, {{4, 5, 3, 1}, {}}, {{8, 1, 2, 2}, {}}, {{12, 8, 5, 0}, {}}, {{4, 2, 0, 3}, {}}};
    printf("stored %d wrong\n", stored<false>(places));
    printf("added %d wrong\n", stored<true>(places));
    auto refused = [](const char *what, const images &m) { printf("%s: %s\n", what, m.made == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "taken"); };
    refused("empty box", images({16, 4, 4, 2}, {0, 0}, {-4, 0}, 8, 8));
    refused("corner too far", images({16, 300, 4, 2}, {-129, 0}, {0, 0}, 8, 8));
    refused("1025 pixels", images({16, 20, 6}, {0}, {0}, 8, 1025));
}
