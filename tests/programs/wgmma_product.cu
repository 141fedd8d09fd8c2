// Products of half matrices by a warpgroup a tile of 64 x 64: shared memory swizzled by 128 bytes, two stages filled by asynchronous copies
// while the tensor cores work; inputs are small integers, so the sums are exact.
// arch: sm_90a
#include "programs.cuh"
#include <cuda_fp16.h>
typedef unsigned long long u64;
const int M = 128, N = 192, K = 320, TILE = 64, BYTES = TILE * 128; // of a tile: 64 rows of 64 halves

// 16-byte chunk c of row r: chunks of a row change places by the row's number.
__device__ unsigned swizzled(int r, int c) { return r * 128 + (c ^ r % 8) * 16; }
// Start, 1024 bytes from eight rows to the next, swizzling by 128 bytes.
__device__ u64 describe(unsigned at) { return (at & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; }

__device__ void fill(unsigned to, const half *from) {
    for (int i = threadIdx.x; i < TILE * 8; i += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + swizzled(i / 8, i % 8)), "l"(from + i / 8 * K + i % 8 * 8) : "memory");
}

#define S4(i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define S16(i) S4(i), S4(i + 4), S4(i + 8), S4(i + 12)

__global__ void __launch_bounds__(128) product(const half *a, const half *b, float *c) {
#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__ // nvcc -arch=sm_90a compiles for compute_90, too
    __shared__ __align__(1024) unsigned char room[4 * BYTES];
    unsigned at = (unsigned)__cvta_generic_to_shared(room);
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE, t = threadIdx.x;
    float s[32];
    for (float &x : s) x = 0;
    a += row * K, b += col * K;
    auto load = [&](int k) {
        unsigned to = at + k / TILE % 2 * 2 * BYTES;
        if (k < K) fill(to, a + k), fill(to + BYTES, b + k);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    load(0);
    for (int k = 0; k < K; k += TILE) {
        load(k + TILE); // the other stage, which the products before have done with
        asm volatile("cp.async.wait_group 1;\nfence.proxy.async;" ::: "memory");
        __syncthreads();
        u64 da = describe(at + k / TILE % 2 * 2 * BYTES), db = describe(at + k / TILE % 2 * 2 * BYTES + BYTES);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int x = 0; x < TILE; x += 16, da += 2, db += 2)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                         "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,"
                         "%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;" : S16(0), S16(16) : "l"(da), "l"(db));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" : S16(0), S16(16)::"memory");
        __syncthreads();
    }
    for (int i = 0; i < 32; i++)
        c[(row + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * N + col + i / 4 * 8 + t % 4 * 2 + i % 2] = s[i];
#endif
}

int main() {
    auto a = ints(M * K, 33), b = ints(N * K, 33);
    std::vector<half> ha, hb;
    for (int x : a) ha.push_back(__float2half((float)(x - 16)));
    for (int x : b) hb.push_back(__float2half((float)(x - 16)));
    float *c = device<float>(M * N);
    product<<<dim3(N / TILE, M / TILE), 128>>>(device(ha), device(hb), c);
    std::vector<float> want(M * N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++) sum += (a[i * K + k] - 16) * (b[j * K + k] - 16);
            want[i * N + j] = (float)sum;
        }
    equal("C", host(c, M * N), want);
    return verdict();
}
