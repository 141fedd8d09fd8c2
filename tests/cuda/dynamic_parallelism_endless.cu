// A chain of launches without an end is stopped, and said.
// sim only
// flags: -rdc=true
// default checks
// finding: budget
// expect: stopped cudaErrorLaunchTimeout
#include "common.h"
__global__ void again() { again<<<1, 1, 0, cudaStreamTailLaunch>>>(); }
int main() {
    again<<<1, 1>>>();
    printf("stopped %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
