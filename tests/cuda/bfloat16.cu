// bfloat16 conversion and arithmetic.
// expect: 3.14062 1.00781 5
#include "common.h"
#include <cuda_bf16.h>
__global__ void k(float *o) {
    o[0] = __bfloat162float(__float2bfloat16(3.14159f)), o[1] = __bfloat162float(__float2bfloat16(1.0070f));
    o[2] = __bfloat162float(__float2bfloat16(2.0f) + __float2bfloat16(3.0f));
}
int main() {
    float *d, h[3];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 1>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)), printf("%g %g %g\n", h[0], h[1], h[2]);
}
