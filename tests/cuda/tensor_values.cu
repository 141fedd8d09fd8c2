// What a tensor's data type does to values, of which the ISA does not tell: asked of an H100. TFLOAT32 and TFLOAT32_FTZ are rounded as they are loaded, to 10
// bits behind the point, to nearest even, any NaN to 0x7fffe000; nothing is flushed, and nothing changes as it is stored. Sums of FLOAT32_FTZ and
// TFLOAT32_FTZ flush subnormal numbers, those of FLOAT32 and TFLOAT32 do not; none is rounded to TF32. NaNs out of bounds have 0x7ff7 in each two bytes.
// arch: sm_90
// expect: FLOAT32 loaded 0 stored 0 summed 0 filled 0 wrong
// expect: FLOAT32_FTZ loaded 0 stored 0 summed 0 filled 0 wrong
// expect: TFLOAT32 loaded 0 stored 0 summed 0 filled 0 wrong
// expect: TFLOAT32_FTZ loaded 0 stored 0 summed 0 filled 0 wrong
// expect: FLOAT16 filled 0 wrong
// expect: BFLOAT16 filled 0 wrong
// expect: FLOAT64 filled 0 wrong
// expect: interleaved TFLOAT32 0 wrong
#include "tma.h"
#include <vector>
enum { N = 64, FILL = 0x7ff77ff7 };
static encode_fn encode;
static const unsigned values[N] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x00801fff, 0x3f800000, 0x3f800001, 0x3f800fff, 0x3f801000, 0x3f801001,
    0x3f801fff, 0x3f802000, 0x3f803000, 0x3f802fff, 0x3f803001, 0xbf801000, 0xbf801001, 0x7f800000, 0xff800000, 0x7f800001, 0x7f801000, 0x7fc00000, 0xffc00001,
    0x7fffffff, 0xffffffff, 0x7f7fffff, 0xff7fffff, 0x7f7ff000, 0x7f7fefff, 0x12345678, 0x9abcdef0, 0x40490fdb, 0xc0490fdb, 0x0003ffff, 0x00000fff, 0x00001000,
    0x00001fff, 0x007ff000, 0x007fe000, 0x007fefff, 0x80001fff, 0x3effffff, 0x4b7fffff, 0x4b800001, 0x00400000, 0x00000002, 0x3f7fffff, 0x3f7ff000, 0x3f7fefff,
    0x42f6e979, 0xc2f6e979, 0x33800000, 0x34000000, 0x00ffffff, 0x01000000, 0x80ffffff, 0x7e967699, 0xfe967699, 0x3dcccccd, 0xbdcccccd, 0x5a5a5a5a};

__global__ void load(const __grid_constant__ CUtensorMap m, int x, unsigned *out) {
    __shared__ alignas(128) unsigned s[N];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), sizeof s);
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(AT(s)), "l"(&m), "r"(x), "r"(AT(&bar)) : "memory");
    }
    __syncthreads();
    bar_wait(AT(&bar), 0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void load_slices(const __grid_constant__ CUtensorMap m, unsigned *out) {
    __shared__ alignas(128) unsigned s[N];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), sizeof s);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2}], [%3];" ::"r"(AT(s)), "l"(&m), "r"(0), "r"(AT(&bar)) : "memory");
    }
    __syncthreads();
    bar_wait(AT(&bar), 0);
    out[threadIdx.x] = s[threadIdx.x];
}
template <bool add> __global__ void store(const __grid_constant__ CUtensorMap m, const unsigned *in) {
    __shared__ alignas(128) unsigned s[N];
    s[threadIdx.x] = in[threadIdx.x];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x) return;
    if (add) asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&m), "r"(0), "r"(AT(s)) : "memory");
    else asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&m), "r"(0), "r"(AT(s)) : "memory");
    bulk_commit(), bulk_drain();
}
static bool is_nan(unsigned v) { return (v & 0x7fffffff) > 0x7f800000; }
static unsigned flushed(unsigned v) { return v & 0x7f800000 ? v : v & 0x80000000; }
static unsigned rounded(unsigned v) { return is_nan(v) ? 0x7fffe000 : (v + 0xfff + (v >> 13 & 1)) & ~0x1fffu; }
static unsigned sum(unsigned a, unsigned b, bool flush) {
    float x, y;
    if (flush) a = flushed(a), b = flushed(b);
    memcpy(&x, &a, 4), memcpy(&y, &b, 4);
    x += y;
    memcpy(&a, &x, 4);
    return is_nan(a) ? 0x7fffffff : flush ? flushed(a) : a;
}
static unsigned *d, *other, got[N];
static CUtensorMap map_of(CUtensorMapDataType type, int size) {
    CUtensorMap m;
    cuuint64_t dim[] = {cuuint64_t(N * 4 / size)}, stride[] = {0};
    cuuint32_t box[] = {cuuint32_t(N * 4 / size)}, step[] = {1};
    CUresult e = encode(&m, type, 1, d, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    if (e) printf("cuTensorMapEncodeTiled: %d\n", e), exit(1);
    return m;
}
static void fetch(const CUtensorMap &m, int x) {
    load<<<1, N>>>(m, x, other);
    CK(cudaMemcpy(got, other, sizeof got, cudaMemcpyDeviceToHost));
}
// Half of it out of bounds, before and behind.
static int filled(CUtensorMapDataType type, int size, bool tf32 = false) {
    int wrong = 0;
    CUtensorMap m = map_of(type, size);
    CK(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice));
    for (int half : {-N / 2, N / 2}) {
        fetch(m, half * 4 / size);
        for (int i = 0; i < N; i++) {
            int k = i + half;
            wrong += got[i] != (k < 0 || k >= N ? FILL : tf32 ? rounded(values[k]) : values[k]);
        }
    }
    return wrong;
}
static void words(const char *name, CUtensorMapDataType type, bool tf32, bool flush) {
    int loaded = 0, stored = 0, summed = 0;
    CUtensorMap m = map_of(type, 4);
    CK(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice));
    fetch(m, 0);
    for (int i = 0; i < N; i++) loaded += got[i] != (tf32 ? rounded(values[i]) : values[i]);
    CK(cudaMemset(d, 0, sizeof values)), CK(cudaMemcpy(other, values, sizeof values, cudaMemcpyHostToDevice));
    store<false><<<1, N>>>(m, other);
    CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) stored += got[i] != values[i];
    for (unsigned to : {0x00000000u, 0x3f800001u, 0x00000001u, 0x80001fffu, 0x7f800000u, 0x00800000u, 0x80800001u}) {
        std::vector<unsigned> all(N, to);
        CK(cudaMemcpy(d, all.data(), sizeof values, cudaMemcpyHostToDevice));
        store<true><<<1, N>>>(m, other);
        CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) summed += got[i] != sum(to, values[i], flush);
    }
    printf("%s loaded %d stored %d summed %d filled %d wrong\n", name, loaded, stored, summed, filled(type, 4, tf32));
}
int main() {
    if (!(encode = encoder())) return puts("no cuTensorMapEncodeTiled"), 1;
    CK(cudaMalloc(&d, sizeof values)), CK(cudaMalloc(&other, sizeof values));
    words("FLOAT32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, false, false);
    words("FLOAT32_FTZ", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, false, true);
    words("TFLOAT32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, true, false);
    words("TFLOAT32_FTZ", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, true, true);
    printf("FLOAT16 filled %d wrong\n", filled(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2));
    printf("BFLOAT16 filled %d wrong\n", filled(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2));
    printf("FLOAT64 filled %d wrong\n", filled(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8));
    CUtensorMap m;
    cuuint64_t dim[] = {4, 1, 4}, stride[] = {64, 64};
    cuuint32_t box[] = {4, 1, 4}, step[] = {1, 1, 1};
    if (encode(&m, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 3, d, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return puts("no map"), 1;
    CK(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice));
    load_slices<<<1, N>>>(m, other);
    CK(cudaMemcpy(got, other, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += got[i] != rounded(values[i]);
    printf("interleaved TFLOAT32 %d wrong\n", wrong);
}
