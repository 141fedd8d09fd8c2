// Launches print in stream order; a program that ends without waiting prints nothing of the last one.
// expect: 0
// expect: 1
// expect: 2
#include "common.h"
__global__ void k(int i) { printf("%d\n", i); }
int main() {
    for (int i = 0; i < 3; i++) k<<<1, 1>>>(i);
    CK(cudaDeviceSynchronize());
    fflush(stdout);
}
