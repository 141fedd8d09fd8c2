// The second translation unit of managed_variable.cu: a module of its own, with a variable that has the name of one there.
#include "../common.h"
static __managed__ int hidden = 40;
__global__ void second_kernel(int by) { hidden += by; }
int second_get() { return hidden; }
void second_step(int by) {
    second_kernel<<<1, 1>>>(by);
    CK(cudaDeviceSynchronize());
}
