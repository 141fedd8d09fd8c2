// kind: cheat
// expect: compile
// Cheats: lets a library do the sum.
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
__global__ void store(int *out, int value) { *out = value; }
void reduce(const int *in, int *out, int n) {
    for (int b = 0; b * 512 < n; b++) {
        thrust::device_ptr<const int> p(in + b * 512);
        store<<<1, 1>>>(out + b, thrust::reduce(p, p + (n - b * 512 < 512 ? n - b * 512 : 512)));
    }
}
