// 64-bit arithmetic, high halves, division, bit counting and moving.
// fast
// expect: mul 1000000002000000001 hi 54210108624275 -1
// expect: div -3 -1 142857143142857143 1
// expect: popc 13 clz 7 ffs 5 brev 1e6a2c48 clz64 31
// expect: perm 44332211 funnel 34567812 sad 12 bfe 3
#include "common.h"
__global__ void k(long long *o, unsigned *p, int m, long long b, unsigned x) {
    o[0] = b * b, o[1] = __umul64hi(1ull << 62, 216840434497100ull), o[2] = __mulhi(-5, 7);
    o[3] = -17 / m, o[4] = -16 % m, o[5] = b * b / 7, o[6] = (unsigned long long)(b * b) % (m - 3 + 1000);
    p[0] = __popc(x), p[1] = __clz(x >> 4), p[2] = __ffs(x & ~15u), p[3] = __brev(x), p[4] = __clzll(1ll << 32);
    p[5] = __byte_perm(0x11223344u + m - m, 0, 0x0123), p[6] = __funnelshift_l(0x12345678u, x * 0 + 0x12345678u, 8), p[7] = __sad(-3, 7, 2u);
    p[8] = (x >> 9) & 7;
}
int main() {
    long long *d, h[7];
    unsigned *q, g[9];
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMalloc(&q, sizeof g));
    k<<<1, 1>>>(d, q, 5, 1000000001, 0x12345678);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)), CK(cudaMemcpy(g, q, sizeof g, cudaMemcpyDeviceToHost));
    printf("mul %lld hi %lld %lld\ndiv %lld %lld %lld %d\n", h[0], h[1], h[2], h[3], h[4], h[5], h[6] == h[0] % 1002);
    printf("popc %u clz %u ffs %u brev %x clz64 %u\nperm %x funnel %x sad %u bfe %u\n", g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8]);
}
