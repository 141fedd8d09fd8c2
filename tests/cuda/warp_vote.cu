// Votes, ballots and matches.
// fast
// expect: ballot 55555555 any 1 all 0 0 1
// expect: active ffff match 11111111 all 0 1
#include "common.h"
__global__ void k(unsigned *o) {
    int l = threadIdx.x, p;
    unsigned b = __ballot_sync(~0u, l % 2 == 0), any = __any_sync(~0u, l == 9), all = __all_sync(~0u, l < 31), none = __any_sync(~0u, l > 40),
             yes = __all_sync(~0u, l < 32), match = __match_any_sync(~0u, l % 4), same;
    if (l < 16) o[5] = __activemask();
    __syncwarp();
    __match_all_sync(~0u, l / 16, &p), o[8] = p;
    same = __match_all_sync(~0u, 7, &p);
    if (!l) o[0] = b, o[1] = any, o[2] = all, o[3] = none, o[4] = yes, o[6] = match, o[7] = same == ~0u && p;
}
int main() {
    unsigned *d, h[9];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 32>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("ballot %x any %u all %u %u %u\nactive %x match %x all %u %u\n", h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[8], h[7]);
}
