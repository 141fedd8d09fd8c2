// printf of one thread at a time; nothing appears before a call waits.
// fast
// expect: host first
// expect: int -5 4000000000 1234567890123 ff
// expect: float 1.500 -2.25e+10 0.333333
// expect: string abc char X percent %
// expect: padded [    7] [7    ] [00007]
// expect: host last
#include "common.h"
__global__ void k() {
    printf("int %d %u %lld %x\n", -5, 4000000000u, 1234567890123ll, 255);
    printf("float %.3f %.2e %f\n", 1.5, -2.25e10, 1.0 / 3);
    printf("string %s char %c percent %%\n", "abc", 'X');
    printf("padded [%5d] [%-5d] [%05d]\n", 7, 7, 7);
}
int main() {
    k<<<1, 1>>>();
    printf("host first\n");
    fflush(stdout);
    CK(cudaDeviceSynchronize());
    fflush(stdout);
    printf("host last\n");
}
