// How boxes lie in shared memory that are no plain rows: interleaved tensors (NC/8HWC8, NC/16HWC16), tiles and .im2col, and rows narrower than their
// swizzle's span. Both were asked of an H100. An interleaved tensor's dimensions are W, H, D, slices of channels, N: an element of W is 16 or 32 bytes of a
// slice, whatever the type; a copy is of one slice, whatever its box. A narrow row begins a span of its own, and what lies behind it stays.
// arch: sm_90
// expect: 16 bytes: 0 wrong
// expect: 32 bytes: 0 wrong
// expect: swizzled: 0 wrong
// expect: columns: 0 wrong
// expect: stored: 0 wrong
// expect: added: 0 wrong
// expect: columns stored: 0 wrong
// expect: columns added: 0 wrong
// expect: narrow: 0 wrong
// expect: narrow stored: 0 wrong
// expect: 2 dimensions: CUDA_ERROR_INVALID_VALUE
// expect: stride of 48: CUDA_ERROR_INVALID_VALUE
// expect: box of 24 bytes: CUDA_ERROR_INVALID_VALUE
// expect: packed: CUDA_ERROR_INVALID_VALUE
// expect: pieces of 32: CUDA_ERROR_INVALID_VALUE
#include "tma.h"
#include <vector>
enum { WORDS = 8192, UNTOUCHED = 0x5a5a5a5a };
enum how { STORE, ADD };
typedef CUresult (*im2col_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *, const int *, cuuint32_t,
                              cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static encode_fn tiled;
static im2col_fn columns;
struct place { int c[5]; unsigned short off[3]; };

template <int D, bool im> __device__ void fetch(const CUtensorMap *m, const place &p, unsigned to, unsigned bar) {
    const int *c = p.c;
    const unsigned short *o = p.off;
#define TILE(d, at, ...) asm volatile("cp.async.bulk.tensor." d ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " at "], [%2];" ::"r"(to), "l"(m), "r"(bar), __VA_ARGS__ : "memory")
#define COLUMN(d, at, ...) asm volatile("cp.async.bulk.tensor." d ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " at ";" ::"r"(to), "l"(m), "r"(bar), __VA_ARGS__ : "memory")
    if (D == 2) TILE("2d", "{%3, %4}", "r"(c[0]), "r"(c[1]));
    if (D == 3 && !im) TILE("3d", "{%3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]));
    if (D == 4 && !im) TILE("4d", "{%3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
    if (D == 5 && !im) TILE("5d", "{%3, %4, %5, %6, %7}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
    if (D == 3 && im) COLUMN("3d", "{%3, %4, %5}], [%2], {%6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(o[0]));
    if (D == 4 && im) COLUMN("4d", "{%3, %4, %5, %6}], [%2], {%7, %8}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(o[0]), "h"(o[1]));
    if (D == 5 && im) COLUMN("5d", "{%3, %4, %5, %6, %7}], [%2], {%8, %9, %10}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "h"(o[0]), "h"(o[1]), "h"(o[2]));
}
template <int D, bool im> __global__ void load(const __grid_constant__ CUtensorMap m, place p, unsigned bytes, unsigned *out) {
    __shared__ alignas(1024) unsigned s[WORDS];
    __shared__ alignas(8) unsigned long long bar;
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = UNTOUCHED;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), bytes);
        fetch<D, im>(&m, p, AT(s), AT(&bar));
    }
    __syncthreads();
    bar_wait(AT(&bar), 0);
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) out[i] = s[i];
}
// Words 1000, 1001, .. of shared memory to the tensor.
template <int D, bool im, how h> __global__ void store(const __grid_constant__ CUtensorMap m, place p) {
    __shared__ alignas(1024) unsigned s[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = 1000 + i;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x) return;
    const int *c = p.c;
#define PUT(op, d, mode, at, ...) asm volatile(op d ".global.shared::cta." mode ".bulk_group [%0, " at "], [%1];" ::"l"(&m), "r"(AT(s)), __VA_ARGS__ : "memory")
#define TO(op, of)                                                                                                          \
    if (D == 2) PUT(op, "2d", of "tile", "{%2, %3}", "r"(c[0]), "r"(c[1]));                                                 \
    if (D == 3 && !im) PUT(op, "3d", of "tile", "{%2, %3, %4}", "r"(c[0]), "r"(c[1]), "r"(c[2]));                           \
    if (D == 4 && !im) PUT(op, "4d", of "tile", "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));            \
    if (D == 4 && im) PUT(op, "4d", of "im2col_no_offs", "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));   \
    if (D == 5) PUT(op, "5d", of "tile", "{%2, %3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
    if (h == STORE) { TO("cp.async.bulk.tensor.", "") }
    if (h == ADD) { TO("cp.reduce.async.bulk.tensor.", "add.") }
    bulk_commit(), bulk_drain();
}

struct tensor {
    std::vector<unsigned> v; // its words
    unsigned *d = nullptr;
    int rank, slice, span, pixels = 0; // bytes of a slice, 0: not interleaved; of the swizzle's span, 0: none; 0: tiles
    cuuint64_t dim[5], stride[4];
    cuuint32_t box[5], step[5] = {1, 1, 1, 1, 1};
    int lower[3] = {}, upper[3] = {};
    CUtensorMap map;
    CUresult made;
    // boxes in the order of dims; of columns {bytes of channels}, then pixels and the corners
    tensor(int slice, int span, std::vector<int> dims, std::vector<int> boxes, std::vector<int> steps = {}, int pixels = 0, std::vector<int> low = {}, std::vector<int> high = {},
           CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32, int swizzle = -1, int more = 32)
        : rank(dims.size()), slice(slice), span(span), pixels(pixels) {
        size_t bytes = slice ? slice : 4;
        for (int k = 0; k < rank; k++) {
            dim[k] = dims[k], box[k] = k < (int)boxes.size() ? boxes[k] : 1;
            if (k < (int)steps.size()) step[k] = steps[k];
            bytes *= dims[k];
            if (!k) bytes = (bytes + 31) / 32 * 32 + more; // rows have room behind
            if (k < 4) stride[k] = bytes;
        }
        for (size_t k = 0; k < low.size(); k++) lower[k] = low[k], upper[k] = high[k];
        v.resize(bytes / 4);
        for (size_t i = 0; i < v.size(); i++) v[i] = (unsigned)(i * 2654435761u) >> 8;
        CK(cudaMalloc(&d, bytes)), CK(cudaMemcpy(d, v.data(), bytes, cudaMemcpyHostToDevice));
        auto il = (CUtensorMapInterleave)(slice / 16);
        auto sw = (CUtensorMapSwizzle)(swizzle >= 0 ? swizzle : span == 128 ? 3 : span / 32);
        made = pixels ? columns(&map, type, rank, d, dim, stride, lower, upper, box[0], pixels, step, il, sw, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                      : tiled(&map, type, rank, d, dim, stride, box, step, il, sw, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
    tensor(const tensor &) = delete;
    ~tensor() { cudaFree(d); }
    struct word { int near; long far; }; // indices; far -1: out of bounds
    // Words of a run that begins at x, the n-th of its box.
    void run(std::vector<word> &w, const long *x, int n, int words) const {
        int pitch = slice ? slice : span ? span : 4 * words, bits = span ? span / 16 - 1 : 0;
        for (int i = 0; i < words; i++) {
            int at = n * pitch + 4 * i;
            long a = x[0] * (slice ? slice / 4 : 1) + i;
            bool in = slice ? x[0] >= 0 && x[0] < (long)dim[0] : x[0] + i >= 0 && x[0] + i < (long)dim[0];
            for (int k = 1; k < rank; k++) in &= x[k] >= 0 && x[k] < (long)dim[k], a += x[k] * (long)stride[k - 1] / 4;
            w.push_back({(at ^ (at >> 7 & bits) << 4) / 4, in ? a : -1});
        }
    }
    std::vector<word> walk(const place &p) const {
        std::vector<word> w;
        long x[5];
        for (int k = 0; k < rank; k++) x[k] = p.c[k];
        int first = slice ? 0 : 1, words = slice ? slice / 4 : box[0];
        for (int n = 0; n < pixels; n++) {
            long y[5];
            for (int k = 0; k < rank; k++) y[k] = x[k] + (k >= first && k < first + rank - 2 ? p.off[k - first] : 0);
            run(w, y, n, words);
            int k = first;
            for (; k < first + rank - 2; k++) {
                if ((x[k] += step[k]) < (long)dim[k] + upper[k - first]) break;
                x[k] = lower[k - first];
            }
            if (k == first + rank - 2) x[rank - 1] += step[rank - 1];
        }
        for (int n = 0; !pixels; n++) {
            run(w, x, n, words);
            int k = first;
            for (; k < rank; k++) {
                int all = slice && k == rank - 2 ? 1 : (box[k] + step[k] - 1) / step[k];
                if ((x[k] += step[k]) < p.c[k] + all * (int)step[k]) break;
                x[k] = p.c[k];
            }
            if (k == rank) break;
        }
        return w;
    }
};
template <int D, bool im = false> int loaded(const tensor &t, std::vector<place> places) {
    int wrong = 0;
    if (t.made) return printf("no map: %d\n", t.made), 1;
    unsigned *out;
    CK(cudaMalloc(&out, 4 * WORDS));
    for (auto &p : places) {
        std::vector<unsigned> got(WORDS), want(WORDS, UNTOUCHED);
        auto w = t.walk(p);
        for (auto &x : w) want[x.near] = x.far < 0 ? 0 : t.v[x.far];
        load<D, im><<<1, 128>>>(t.map, p, 4 * w.size(), out);
        CK(cudaMemcpy(got.data(), out, 4 * WORDS, cudaMemcpyDeviceToHost));
        for (int i = 0; i < WORDS; i++) wrong += got[i] != want[i];
    }
    CK(cudaFree(out));
    return wrong;
}
template <int D, how h, bool im = false> int stored(tensor &&t, place p) {
    int wrong = 0;
    if (t.made) return printf("no map: %d\n", t.made), 1;
    std::vector<unsigned> want = t.v, got(t.v.size());
    for (auto &x : t.walk(p))
        if (x.far >= 0) want[x.far] = (h == ADD ? want[x.far] : 0) + 1000 + x.near;
    store<D, im, h><<<1, 128>>>(t.map, p);
    CK(cudaMemcpy(got.data(), t.d, 4 * got.size(), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++) wrong += got[i] != want[i];
    return wrong;
}
int tiles(int slice, int span) {
    return loaded<3>(tensor(slice, span, {12, 5, 4}, {8, 3, 2}), {{{0, 0, 0}}, {{3, 4, 1}}, {{-3, 2, -1}}, {{9, 1, 3}}, {{0, 5, 0}}, {{0, -1, 0}}}) +
           loaded<4>(tensor(slice, span, {12, 7, 5, 4}, {4, 3, 9, 2}), {{{0, 0, 0, 0}}, {{5, 3, 2, 1}}, {{-1, -2, 4, 3}}, {{11, 6, 0, -1}}}) +
           loaded<5>(tensor(slice, span, {9, 6, 5, 4, 3}, {4, 3, 2, 2, 2}), {{{0, 0, 0, 0, 0}}, {{7, 4, 3, 2, 1}}, {{-2, -1, 4, 3, 2}}}) +
           loaded<4>(tensor(slice, span, {20, 7, 5, 4}, {12, 5, 3, 3}, {3, 2, 2, 2}), {{{0, 0, 0, 0}}, {{-2, 3, 4, 1}}, {{17, 1, 1, -1}}});
}
int main() {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &f, 12000, cudaEnableDefault, &found));
    columns = (im2col_fn)f, tiled = encoder();
    if (!columns || !tiled) return puts("no cuTensorMapEncode"), 1;
    printf("16 bytes: %d wrong\n", tiles(16, 0));
    printf("32 bytes: %d wrong\n", tiles(32, 32));
    printf("swizzled: %d wrong\n", tiles(16, 32) + tiles(16, 64) + tiles(16, 128));
    int wrong = 0;
    for (int slice : {16, 32}) // filters of 3 by 2; corners and steps differ
        for (int span : {slice == 32 ? 32 : 0, slice == 32 ? 32 : 128})
            wrong += loaded<3, true>(tensor(slice, span, {9, 4, 6}, {8}, {}, 30, {-2}, {-1}), {{{-2, 0, 0}, {0}}, {{5, 1, 2}, {2}}, {{7, 3, 4}, {1}}, {{0, 4, 0}, {0}}}) +
                     loaded<4, true>(tensor(slice, span, {9, 7, 4, 5}, {4}, {}, 64, {-1, 0}, {-1, -1}), {{{7, 4, 0, 0}, {0, 0}}, {{-1, 0, 1, 2}, {2, 1}}, {{3, 5, 3, 4}, {1, 1}}}) +
                     loaded<5, true>(tensor(slice, span, {6, 5, 4, 3, 3}, {4}, {}, 100, {-1, -2, 0}, {-1, 0, -1}), {{{-1, -2, 0, 0, 0}, {0, 0, 0}}, {{2, 3, 2, 2, 1}, {2, 1, 1}}}) +
                     loaded<4, true>(tensor(slice, span, {8, 9, 3, 6}, {4}, {2, 3, 1, 2}, 40, {-1, -1}, {-1, -1}), {{{5, 5, 0, 0}, {1, 1}}, {{-1, -1, 1, 1}, {0, 2}}});
    printf("columns: %d wrong\n", wrong);
    wrong = 0;
    int added = 0, cs = 0, ca = 0;
    for (int slice : {16, 32}) {
        int span = slice == 32 ? 32 : 64;
#define SUM(h)                                                                                                                                                   \
    (stored<3, h>(tensor(slice, slice == 32 ? 32 : 0, {12, 5, 4}, {8, 3, 2}), {{3, 4, 1}}) + stored<3, h>(tensor(slice, span, {12, 5, 4}, {8, 3, 2}), {{9, 1, 3}}) +  \
     stored<4, h>(tensor(slice, span, {20, 7, 5, 4}, {12, 5, 3, 3}, {3, 2, 2, 2}), {{1, 3, 4, 1}}) + stored<5, h>(tensor(slice, span, {9, 6, 5, 4, 3}, {4, 3, 2, 2, 2}), {{7, 4, 3, 2, 1}}))
#define COLUMNS(h)                                                                                                                      \
    (stored<4, h, true>(tensor(slice, span, {9, 7, 4, 5}, {4}, {}, 50, {1, 0}, {0, -1}), {{1, 5, 3, 1}}) +                             \
     stored<4, h, true>(tensor(slice, slice == 32 ? 32 : 0, {9, 7, 4, 5}, {4}, {2, 1, 1, 1}, 50, {0, 1}, {-1, 0}), {{7, 6, 0, 0}}))
        wrong += SUM(STORE), added += SUM(ADD), cs += COLUMNS(STORE), ca += COLUMNS(ADD);
    }
    printf("stored: %d wrong\nadded: %d wrong\ncolumns stored: %d wrong\ncolumns added: %d wrong\n", wrong, added, cs, ca);
    wrong = added = 0;
    for (int span : {32, 64, 128})
        for (int words = 4; words < span / 4; words += 4) {
            wrong += loaded<2>(tensor(0, span, {77, 31}, {words, 20}), {{{0, 0}}, {{4, 15}}, {{-4, -3}}, {{76, 3}}});
            // what is stored ends with the 16 bytes in which the tensor's row ends (tensor_map.cu): here with the row
            added += stored<2, STORE>(tensor(0, span, {80, 31}, {words, 20}), {{72, 14}}) + stored<2, ADD>(tensor(0, span, {80, 31}, {words, 20}), {{8, 3}});
        }
    printf("narrow: %d wrong\nnarrow stored: %d wrong\n", wrong, added);
    auto refused = [](const char *what, const tensor &t) { printf("%s: %s\n", what, t.made == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "taken"); };
    refused("2 dimensions", tensor(16, 0, {8, 8}, {8, 2}));
    refused("stride of 48", tensor(32, 32, {1, 8, 2}, {4, 2, 1}, {}, 0, {}, {}, CU_TENSOR_MAP_DATA_TYPE_UINT32, -1, 16));
    refused("box of 24 bytes", tensor(16, 0, {8, 8, 8}, {6, 2, 2}));
    refused("packed", tensor(0, 0, {128, 8}, {128, 2}, {}, 0, {}, {}, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B));
    refused("pieces of 32", tensor(0, 0, {128, 8}, {32, 2}, {}, 0, {}, {}, CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B));
}
