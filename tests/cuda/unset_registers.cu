// Registers that nothing has set hold no zeros: large values of each type, which differ from lane to lane, from warp to warp and from launch to launch.
// sim only
// fast
// expect: small values: b16 0, b32 0, b64 0, f32 0, f64 0, f16 0, byte 0
// expect: predicates: some true 1, some false 1
// expect: lanes differ 1, warps differ 1, blocks differ 1, launches differ 1
// expect: set on one path: other 1, set on the path taken: 7
#include "common.h"
struct unset {
    unsigned short b16, f16;
    unsigned b32;
    unsigned long long b64;
    float f32;
    double f64;
    unsigned byte, yes, path, taken;
};
__global__ void k(unset *to, int n) {
    unset &x = to[blockIdx.x * blockDim.x + threadIdx.x];
    asm volatile("{ .reg .b16 t; mov.b16 %0, t; }" : "=h"(x.b16));
    asm volatile("{ .reg .f16 t; mov.b16 %0, t; }" : "=h"(x.f16));
    asm volatile("{ .reg .b32 t; mov.b32 %0, t; }" : "=r"(x.b32));
    asm volatile("{ .reg .b64 t; mov.b64 %0, t; }" : "=l"(x.b64));
    asm volatile("{ .reg .f32 t; mov.f32 %0, t; }" : "=f"(x.f32));
    asm volatile("{ .reg .f64 t; mov.f64 %0, t; }" : "=d"(x.f64));
    asm volatile("{ .reg .u8 t; cvt.u32.u8 %0, t; }" : "=r"(x.byte));
    asm volatile("{ .reg .pred t; selp.u32 %0, 1, 0, t; }" : "=r"(x.yes));
    asm volatile("{ .reg .u32 t; .reg .pred p; setp.eq.s32 p, %1, 0; @p mov.u32 t, 7; mov.u32 %0, t; }" : "=r"(x.path) : "r"(n));
    asm volatile("{ .reg .u32 t; .reg .pred p; setp.ne.s32 p, %1, 0; @p mov.u32 t, 7; mov.u32 %0, t; }" : "=r"(x.taken) : "r"(n));
}
int main() {
    enum { BLOCKS = 2, THREADS = 64, N = BLOCKS * THREADS };
    static unset x[2][N];
    unset *to;
    CK(cudaMalloc(&to, sizeof x[0]));
    for (int i = 0; i < 2; i++) {
        k<<<BLOCKS, THREADS>>>(to, 1), CK(cudaGetLastError());
        CK(cudaMemcpy(x[i], to, sizeof x[0], cudaMemcpyDeviceToHost));
    }
    const unset *a = x[0];
    int b16 = 0, b32 = 0, b64 = 0, f32 = 0, f64 = 0, f16 = 0, byte = 0, yes = 0, lanes = 0, path = 0, taken = 0;
    for (int t = 0; t < N; t++) {
        b16 += a[t].b16 < 1000, b32 += a[t].b32 < 1000, b64 += a[t].b64 < 1000, byte += a[t].byte < 16;
        f32 += !(a[t].f32 > 1000), f64 += !(a[t].f64 > 1000), f16 += a[t].f16 >> 10 < 20; // below 32, as a half
        yes += a[t].yes, path += a[t].path < 1000, taken += a[t].taken == 7;
        lanes += t % 32 && a[t].b32 != a[t - 1].b32;
    }
    printf("small values: b16 %d, b32 %d, b64 %d, f32 %d, f64 %d, f16 %d, byte %d\n",
           b16, b32, b64, f32, f64, f16, byte);
    printf("predicates: some true %d, some false %d\n", yes > 0, yes < N);
    printf("lanes differ %d, warps differ %d, blocks differ %d, launches differ %d\n", lanes > N / 2, a[0].b32 != a[32].b32, a[0].b32 != a[64].b32, a[0].b32 != x[1][0].b32);
    printf("set on one path: other %d, set on the path taken: %d\n", path == 0, taken == N ? 7 : taken);
}
