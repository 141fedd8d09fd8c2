// lab: vector-add
// expect: fail correct
// Prints from every thread of a large grid and computes nothing.
#include <cstdio>
__global__ void shout() { printf("%d %d\n", (int)blockIdx.x, (int)threadIdx.x); }
void vector_add(const float *, const float *, float *, int) { shout<<<1024, 256>>>(); }
