// A failing device assert.
// stderr: Assertion
// expect: cudaErrorAssert
// finding: assert
#include "common.h"
#include <cassert>
__global__ void k(int n) { assert(n < (int)threadIdx.x + 1); }
int main() {
    k<<<1, 4>>>(3);
    NAME(cudaDeviceSynchronize());
}
