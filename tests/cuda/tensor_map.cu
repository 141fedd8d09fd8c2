// Boxes of tensors by cp.async.bulk.tensor: one to five dimensions, out of bounds on every side, steps, swizzling, stores, reductions. What is
// expected is computed here from the tensor's description; the swizzles are those of the CUDA C++ Programming Guide ("The Swizzle Modes").
// The innermost coordinate is a multiple of 16 bytes everywhere, as hardware needs it (tensor_coordinate.cu).
// arch: sm_90
// expect: 1d 0 wrong
// expect: 2d 0 wrong
// expect: 3d 0 wrong
// expect: 4d 0 wrong
// expect: 5d 0 wrong
// expect: steps 0 wrong
// expect: NaN outside 0 wrong
// expect: swizzle 32 0 wrong
// expect: swizzle 64 0 wrong
// expect: swizzle 128 0 wrong
// expect: stores 0 wrong
// expect: stores swizzled 0 wrong
// expect: sums 0 wrong
// expect: least 0 wrong
#include "tma.h"
#include <vector>
enum { MOST = 8192 };
static encode_fn encode;

template <int D> __device__ void fetch(const CUtensorMap *m, const int (&c)[5], unsigned to, unsigned bar) {
#define HEAD "cp.async.bulk.tensor."
#define TAIL ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
    if (D == 1) asm volatile(HEAD "1d" TAIL "{%3}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]) : "memory");
    if (D == 2) asm volatile(HEAD "2d" TAIL "{%3, %4}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]), "r"(c[1]) : "memory");
    if (D == 3) asm volatile(HEAD "3d" TAIL "{%3, %4, %5}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]) : "memory");
    if (D == 4)
        asm volatile(HEAD "4d" TAIL "{%3, %4, %5, %6}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]) : "memory");
    if (D == 5)
        asm volatile(HEAD "5d" TAIL "{%3, %4, %5, %6, %7}], [%2];"
                     ::"r"(to), "l"(m), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]) : "memory");
}
struct place { int c[5]; };
// The box at p as it lies in shared memory.
template <int D> __global__ void load(const __grid_constant__ CUtensorMap m, place p, unsigned bytes, unsigned char *out) {
    __shared__ alignas(1024) unsigned char s[MOST];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = AT(&bar);
    if (threadIdx.x == 0) {
        bar_init(b, 1);
        bar_expect(b, bytes);
        fetch<D>(&m, p.c, AT(s), b);
    }
    __syncthreads();
    bar_wait(b, 0);
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = s[i];
}
// A box of consecutive words to the tensor: 0 stored, 1 added, 2 the lesser.
template <int how> __global__ void store(const __grid_constant__ CUtensorMap m, int x, int y, int words) {
    __shared__ alignas(1024) unsigned s[MOST / 4];
    for (int i = threadIdx.x; i < words; i += blockDim.x) s[i] = 1000 + i;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x) return;
    if (how == 0) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m), "r"(x), "r"(y), "r"(AT(s)) : "memory");
    if (how == 1) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m), "r"(x), "r"(y), "r"(AT(s)) : "memory");
    if (how == 2) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m), "r"(x), "r"(y), "r"(AT(s)) : "memory");
    bulk_commit(), bulk_drain();
}

struct tensor {
    std::vector<unsigned> v; // its words
    unsigned *d;
    int rank;
    cuuint64_t dim[5], stride[4];
    cuuint32_t box[5], step[5] = {1, 1, 1, 1, 1};
    CUtensorMap map;
    tensor(int rank, std::vector<int> dims, std::vector<int> boxes, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
           CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32, bool nan = false, std::vector<int> steps = {}) : rank(rank) {
        size_t bytes = 4;
        for (int k = 0; k < rank; k++) {
            dim[k] = dims[k], box[k] = boxes[k];
            if (k < (int)steps.size()) step[k] = steps[k];
            bytes = k ? bytes * dims[k] : (4 * dims[0] + 15) / 16 * 16 + 32; // rows have room behind
            if (k < 4) stride[k] = bytes;
        }
        v.resize(bytes / 4);
        for (size_t i = 0; i < v.size(); i++) v[i] = (unsigned)(i * 2654435761u) >> 8;
        CK(cudaMalloc(&d, bytes)), send();
        CUresult e = encode(&map, type, rank, d, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                            nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (e) printf("cuTensorMapEncodeTiled: %d\n", e), exit(1);
    }
    ~tensor() { cudaFree(d); }
    void send() { CK(cudaMemcpy(d, v.data(), v.size() * 4, cudaMemcpyHostToDevice)); }
    // How many elements the box has along k.
    int count(int k) const { return k < rank ? (box[k] + (k ? step[k] : 1) - 1) / (k ? step[k] : 1) : 1; }
    int words() const { return count(0) * count(1) * count(2) * count(3) * count(4); }
    // Index of the i-th element of the box at p; -1: out of bounds. What is stored ends with the 16 bytes in which the tensor's row ends.
    long at(const place &p, int i, bool store = false) const {
        long w = 0;
        for (int k = 0; k < rank; k++) {
            long x = p.c[k] + (long)(i % count(k)) * (k ? step[k] : 1);
            i /= count(k);
            if (x < 0 || x >= (long)(k || !store ? dim[k] : (dim[k] + 3) / 4 * 4)) return -1;
            w += x * (k ? stride[k - 1] / 4 : 1);
        }
        return w;
    }
};
static unsigned swizzled(unsigned byte, int span) { // of a byte whose rows are `span` wide
    unsigned row = byte / span, chunk = byte % span / 16;
    chunk ^= span == 128 ? row % 8 : span == 64 ? row / 2 % 4 : row / 4 % 2;
    return row * span + chunk * 16 + byte % 16;
}
template <int D> int compare(const tensor &t, const place &p, int span = 0, bool nan = false) {
    std::vector<unsigned> got(t.words());
    unsigned char *out;
    CK(cudaMalloc(&out, t.words() * 4));
    load<D><<<1, 128>>>(t.map, p, t.words() * 4, out);
    CK(cudaMemcpy(got.data(), out, t.words() * 4, cudaMemcpyDeviceToHost));
    CK(cudaFree(out));
    int wrong = 0;
    for (int i = 0; i < t.words(); i++) {
        long at = t.at(p, i);
        unsigned is = got[span ? swizzled(4 * i, span) / 4 : i];
        if (at < 0 && nan) {
            float f;
            memcpy(&f, &is, 4);
            wrong += f == f;
        } else wrong += is != (at < 0 ? 0 : t.v[at]);
    }
    return wrong;
}
template <int D> void loads(const tensor &t, std::vector<place> places) {
    int wrong = 0;
    for (auto &p : places) wrong += compare<D>(t, p);
    printf("%dd %d wrong\n", D, wrong);
}
template <int how> int stored(CUtensorMapSwizzle swizzle, int span) {
    int wrong = 0;
    for (place p : {place{{8, 3}}, place{{72, 3}}, place{{64, 0}}, place{{72, 29}}, place{{80, 3}}}) {
        tensor t(2, {77, 31}, {span ? span / 4 : 24, 5}, swizzle);
        std::vector<unsigned> want = t.v, got(t.v.size());
        for (int i = 0; i < t.words(); i++) {
            unsigned value = 1000 + (span ? swizzled(4 * i, span) / 4 : i);
            long at = t.at(p, i, true);
            if (at >= 0) want[at] = how == 0 ? value : how == 1 ? want[at] + value : value < want[at] ? value : want[at];
        }
        store<how><<<1, 64>>>(t.map, p.c[0], p.c[1], t.words());
        CK(cudaMemcpy(got.data(), t.d, got.size() * 4, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < got.size(); i++) wrong += got[i] != want[i];
    }
    return wrong;
}
int main() {
    if (!(encode = encoder())) return puts("no cuTensorMapEncodeTiled"), 1;
    loads<1>(tensor(1, {1000}, {64}), {{{0}}, {{4}}, {{-8}}, {{968}}, {{1000}}, {{-64}}});
    loads<2>(tensor(2, {77, 31}, {24, 5}), {{{0, 0}}, {{4, 7}}, {{-8, -2}}, {{68, 29}}, {{0, 31}}, {{-2147483648, 0}}});
    loads<3>(tensor(3, {20, 9, 7}, {8, 4, 3}), {{{0, 0, 0}}, {{4, 2, 3}}, {{-4, -1, -1}}, {{16, 7, 5}}});
    loads<4>(tensor(4, {12, 5, 6, 4}, {8, 2, 3, 2}), {{{0, 0, 0, 0}}, {{8, 2, 3, 1}}, {{-4, 4, -2, 3}}});
    loads<5>(tensor(5, {8, 3, 4, 5, 3}, {8, 2, 2, 3, 2}), {{{0, 0, 0, 0, 0}}, {{4, 1, 2, 2, 1}}, {{-4, -1, 3, -2, 2}}});
    tensor steps(3, {40, 30, 20}, {8, 9, 5}, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_DATA_TYPE_UINT32, false, {1, 3, 2});
    printf("steps %d wrong\n", compare<3>(steps, {{4, 2, 1}}) + compare<3>(steps, {{-4, 25, -3}}));
    tensor nan(2, {77, 31}, {24, 5}, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, true);
    for (auto &x : nan.v) x = 0x3f800000 + x % 4096;
    nan.send();
    printf("NaN outside %d wrong\n", compare<2>(nan, {{68, -2}}, 0, true));
    const CUtensorMapSwizzle modes[] = {CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
    for (int k = 0; k < 3; k++) {
        int span = 32 << k;
        tensor t(2, {77, 61}, {span / 4, 24}, modes[k]);
        printf("swizzle %d %d wrong\n", span, compare<2>(t, {{4, 9}}, span) + compare<2>(t, {{72, 50}}, span));
    }
    printf("stores %d wrong\n", stored<0>(CU_TENSOR_MAP_SWIZZLE_NONE, 0));
    printf("stores swizzled %d wrong\n", stored<0>(CU_TENSOR_MAP_SWIZZLE_128B, 128) + stored<0>(CU_TENSOR_MAP_SWIZZLE_64B, 64) + stored<0>(CU_TENSOR_MAP_SWIZZLE_32B, 32));
    printf("sums %d wrong\n", stored<1>(CU_TENSOR_MAP_SWIZZLE_NONE, 0));
    printf("least %d wrong\n", stored<2>(CU_TENSOR_MAP_SWIZZLE_NONE, 0));
}
