// half and half2 arithmetic.
// expect: 3.75 -0.5 0.333252 65504
// expect: 4 6 inf
#include "common.h"
#include <cuda_fp16.h>
__global__ void k(float *o) {
    __half a = __float2half(1.5f), b = __float2half(2.25f);
    o[0] = __half2float(__hadd(a, b)), o[1] = __half2float(__hsub(a, __float2half(2.0f)));
    o[2] = __half2float(__hdiv(__float2half(1.0f), __float2half(3.0f))), o[3] = __half2float(__float2half(65504.0f));
    __half2 x = __floats2half2_rn(1, 2), y = __hfma2(x, __floats2half2_rn(2, 2), __floats2half2_rn(2, 2));
    o[4] = __low2float(y), o[5] = __high2float(y), o[6] = __half2float(__float2half(1e6f));
}
int main() {
    float *d, h[7];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 1>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n%g %g %g\n", h[0], h[1], h[2], h[3], h[4], h[5], h[6]);
}
