// lab: vector-add
// expect: pass
// Throws and catches, jumps and comes back.
#include <csetjmp>
#include <stdexcept>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    jmp_buf place;
    if (!setjmp(place)) longjmp(place, 1);
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
}
