// bfloat16 and the types of 8 bits, which have conversions of their own from compute capability 9.0 on: every bfloat16 as a byte, towards zero, clamped, a NaN as 0
// (cuda_bf16.h, __bfloat162char_rz; an H100 gives these), and every byte as a bfloat16, whose 8 bits hold it.
// arch: sm_90
// fast
// expect: 65536 to bytes, 0 wrong
// expect: 256 from bytes, 0 wrong
#include "common.h"
#include <cuda_bf16.h>
#include <cmath>
#include <vector>
__global__ void to_bytes(int2 *o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 v = __ushort_as_bfloat16((unsigned short)i);
    o[i] = make_int2(__bfloat162char_rz(v), __bfloat162uchar_rz(v));
}
__global__ void from_bytes(float2 *o) {
    unsigned short s, u, v = threadIdx.x;
    asm("{ .reg .b8 x, y; mov.b16 {x, y}, %2; cvt.rn.bf16.s8 %0, x; cvt.rn.bf16.u8 %1, x; }" : "=h"(s), "=h"(u) : "h"(v));
    o[threadIdx.x] = make_float2(__bfloat162float(__ushort_as_bfloat16(s)), __bfloat162float(__ushort_as_bfloat16(u)));
}
static int clamped(float v, int low, int high) { return std::isnan(v) ? 0 : v < low ? low : v > high ? high : (int)v; }
int main() {
    int2 *a;
    float2 *b;
    std::vector<int2> got(65536);
    std::vector<float2> back(256);
    CK(cudaMalloc(&a, 65536 * sizeof *a));
    CK(cudaMalloc(&b, 256 * sizeof *b));
    to_bytes<<<256, 256>>>(a);
    from_bytes<<<1, 256>>>(b);
    CK(cudaMemcpy(got.data(), a, 65536 * sizeof *a, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(back.data(), b, 256 * sizeof *b, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned i = 0; i < 65536; i++) {
        unsigned bits = i << 16;
        float v;
        memcpy(&v, &bits, 4);
        wrong += got[i].x != clamped(v, -128, 127) || got[i].y != clamped(v, 0, 255);
    }
    printf("65536 to bytes, %d wrong\n", wrong);
    wrong = 0;
    for (int i = 0; i < 256; i++) wrong += back[i].x != (signed char)i || back[i].y != i;
    printf("256 from bytes, %d wrong\n", wrong);
    CK(cudaFree(a));
    CK(cudaFree(b));
}
