// Tensor maps that kernels change: each field by tensormap.replace in shared and in global memory, by generic addresses too, brought to global memory
// by tensormap.cp_fenceproxy; a prefetch of a box. What the box then is, is computed here from the description.
// arch: sm_90a
// expect: address 0 wrong
// expect: sizes and strides 0 wrong
// expect: box and steps 0 wrong
// expect: rank 0 wrong
// expect: type and fill 0 wrong
// expect: swizzle 0 wrong
// expect: in global memory 0 wrong
// expect: generic 0 wrong
#include "tma.h"
#include <vector>
#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__
#define ONLY(...) __VA_ARGS__
#else
#define ONLY(...)
#endif
typedef unsigned long long u64;
enum { ROWS = 40, PITCH = 64 };            // words of the memory
enum how { ADDRESS, SIZES, BOX, RANK, TYPE, SWIZZLE };
#define S32(field, at, v) ONLY(asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], %1;" ::"r"(at), "r"(v) : "memory");)
#define S64(field, at, v) ONLY(asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b64 [%0], %1;" ::"r"(at), "l"((u64)(v)) : "memory");)
#define SN32(field, at, n, v) ONLY(asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " #n ", %1;" ::"r"(at), "r"(v) : "memory");)
#define SN64(field, at, n, v) ONLY(asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b64 [%0], " #n ", %1;" ::"r"(at), "l"((u64)(v)) : "memory");)
#define SI32(field, at, v) ONLY(asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " #v ";" ::"r"(at) : "memory");)

__device__ void fetch2(const CUtensorMap *m, int x, int y, unsigned to, unsigned bar) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(m), "r"(x), "r"(y) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(m), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ void fetch3(const CUtensorMap *m, int x, int y, int z, unsigned to, unsigned bar) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 ::"r"(to), "l"(m), "r"(x), "r"(y), "r"(z), "r"(bar) : "memory");
}
__device__ void ready(const CUtensorMap *m) { asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(m) : "memory"); }
// The map, changed in shared memory, goes to `scratch`; then the box at (x, y).
__global__ void by_shared(const __grid_constant__ CUtensorMap m, CUtensorMap *scratch, const unsigned *mem, how what, int x, int y, unsigned bytes, unsigned *out) {
    __shared__ alignas(128) CUtensorMap map;
    __shared__ alignas(1024) unsigned box[2048];
    __shared__ alignas(8) u64 bar;
    unsigned at = AT(&map), t = threadIdx.x;
    ((unsigned *)&map)[t] = ((const unsigned *)&m)[t];
    __syncwarp();
    if (t == 0) {
        bar_init(AT(&bar), 1);
        if (what == ADDRESS) S64("global_address", at, mem + 8 * PITCH);
        if (what == SIZES) { SN32("global_dim", at, 0, 20) SN32("global_dim", at, 1, 9) SN64("global_stride", at, 0, 2 * 4 * PITCH) }
        if (what == BOX) { SN32("box_dim", at, 0, 16) SN32("box_dim", at, 1, 9) SN32("element_stride", at, 1, 2) }
        if (what == RANK) {
            S32("rank", at, 2); SN32("global_dim", at, 1, 5) SN32("global_dim", at, 2, 8) SN64("global_stride", at, 1, 5 * 4 * PITCH)
            SN32("box_dim", at, 1, 2) SN32("box_dim", at, 2, 3) SN32("element_stride", at, 2, 1)
        }
        if (what == TYPE) { SI32("elemtype", at, 7) SI32("fill_mode", at, 1) SI32("interleave_layout", at, 0) }
        if (what == SWIZZLE) { SN32("box_dim", at, 0, 32) SI32("swizzle_mode", at, 3) }
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(scratch), "r"(at) : "memory");
    if (t == 0) {
        ready(scratch);
        bar_expect(AT(&bar), bytes);
        if (what == RANK) fetch3(scratch, x, y, 1, AT(box), AT(&bar));
        else fetch2(scratch, x, y, AT(box), AT(&bar));
    }
    __syncwarp();
    bar_wait(AT(&bar), 0);
    for (unsigned i = t; i < bytes / 4; i += 32) out[i] = box[i];
}
// The map lies in global memory, or is reached by a generic address.
template <bool generic> __global__ void by_global(CUtensorMap *m, const unsigned *mem, unsigned bytes, unsigned *out) {
    __shared__ alignas(128) unsigned box[2048];
    __shared__ alignas(8) u64 bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        if (generic) {
            ONLY(asm volatile("tensormap.replace.tile.global_address.b1024.b64 [%0], %1;" ::"l"(m), "l"(mem + 4 * PITCH) : "memory");)
            ONLY(asm volatile("tensormap.replace.tile.box_dim.b1024.b32 [%0], 1, %1;" ::"l"(m), "r"(3) : "memory");)
        } else {
            ONLY(asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(m), "l"(mem + 4 * PITCH) : "memory");)
            ONLY(asm volatile("tensormap.replace.tile.box_dim.global.b1024.b32 [%0], 1, %1;" ::"l"(m), "r"(3) : "memory");)
        }
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
        ready(m);
        bar_expect(AT(&bar), bytes);
        fetch2(m, 4, 1, AT(box), AT(&bar));
    }
    __syncwarp();
    bar_wait(AT(&bar), 0);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += 32) out[i] = box[i];
}

static unsigned *mem, *out;
static CUtensorMap *scratch, map;
static unsigned word(int row, int column) { return 1000 * row + column; }
static unsigned swizzled(unsigned byte) { return byte ^ (byte >> 7 & 7) << 4; }
// want(c, r): of the box's column c and row r; its width
template <class F> int compare(unsigned words, int width, F want, bool swizzle = false, bool nan = false) {
    std::vector<unsigned> got(words);
    CK(cudaGetLastError()), CK(cudaMemcpy(got.data(), out, 4 * words, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned i = 0; i < words; i++) {
        long w = want(i % width, i / width);
        unsigned is = got[swizzle ? swizzled(4 * i) / 4 : i];
        float f;
        memcpy(&f, &is, 4);
        wrong += w < 0 && nan ? f == f : is != (w < 0 ? 0 : (unsigned)w);
    }
    return wrong;
}
static void start(how what, int x, int y, unsigned words) { by_shared<<<1, 32>>>(map, scratch, mem, what, x, y, 4 * words, out); }
int main() {
    std::vector<unsigned> h(ROWS * PITCH);
    for (int i = 0; i < ROWS * PITCH; i++) h[i] = word(i / PITCH, i % PITCH);
    CK(cudaMalloc(&mem, 4 * h.size())), CK(cudaMalloc(&out, 8192)), CK(cudaMalloc(&scratch, sizeof map));
    CK(cudaMemcpy(mem, h.data(), 4 * h.size(), cudaMemcpyHostToDevice));
    cuuint64_t dim[] = {PITCH, 24}, stride[] = {4 * PITCH};
    cuuint32_t box[] = {8, 4}, step[] = {1, 1};
    if (encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, mem, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return puts("no map"), 1;
    start(ADDRESS, 4, 3, 32);
    printf("address %d wrong\n", compare(32, 8, [](int c, int r) { return (long)word(8 + 3 + r, 4 + c); }));
    start(SIZES, 16, 7, 32); // 20 x 9, each second row of the memory
    printf("sizes and strides %d wrong\n", compare(32, 8, [](int c, int r) { return 16 + c < 20 && 7 + r < 9 ? (long)word(2 * (7 + r), 16 + c) : -1; }));
    start(BOX, 4, 2, 16 * 5); // nine rows, of which each second comes
    printf("box and steps %d wrong\n", compare(80, 16, [](int c, int r) { return (long)word(2 + 2 * r, 4 + c); }));
    start(RANK, 4, 4, 8 * 2 * 3); // 64 x 5 x 8: rows 5 z + y
    printf("rank %d wrong\n", compare(48, 8, [](int c, int i) { int y = 4 + i % 2, z = 1 + i / 2; return y < 5 ? (long)word(5 * z + y, 4 + c) : -1; }));
    start(TYPE, 60, 22, 32);
    printf("type and fill %d wrong\n", compare(32, 8, [](int c, int r) { return 60 + c < PITCH && 22 + r < 24 ? (long)word(22 + r, 60 + c) : -1; }, false, true));
    start(SWIZZLE, 0, 1, 128);
    printf("swizzle %d wrong\n", compare(128, 32, [](int c, int r) { return (long)word(1 + r, c); }, true));
    for (int generic = 0; generic < 2; generic++) {
        CK(cudaMemcpy(scratch, &map, sizeof map, cudaMemcpyHostToDevice));
        if (generic) by_global<true><<<1, 32>>>(scratch, mem, 96, out);
        else by_global<false><<<1, 32>>>(scratch, mem, 96, out);
        int wrong = compare(24, 8, [](int c, int r) { return (long)word(4 + 1 + r, 4 + c); });
        printf("%s %d wrong\n", generic ? "generic" : "in global memory", wrong);
    }
}
