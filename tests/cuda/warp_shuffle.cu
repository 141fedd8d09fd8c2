// Shuffles of every kind, and a reduction with them.
// fast
// expect: idx 5 5 5 up 0 0 1 2 down 1 2 31 xor 1 0 31 30
// expect: half warps 3 19
// expect: sum 496
#include "common.h"
__global__ void k(int *o) {
    int l = threadIdx.x, s = l;
    o[l] = __shfl_sync(~0u, l, 5), o[32 + l] = __shfl_up_sync(~0u, l, 1), o[64 + l] = __shfl_down_sync(~0u, l, 1);
    o[96 + l] = __shfl_xor_sync(~0u, l, 1), o[128 + l] = __shfl_sync(~0u, l, 3, 16);
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (!l) o[160] = s;
}
int main() {
    int *d, h[161];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 32>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("idx %d %d %d up %d %d %d %d down %d %d %d xor %d %d %d %d\n", h[0], h[7], h[31], h[32], h[33], h[34], h[35], h[64], h[65], h[95], h[96],
           h[97], h[126], h[127]);
    printf("half warps %d %d\nsum %d\n", h[128], h[159], h[160]);
}
