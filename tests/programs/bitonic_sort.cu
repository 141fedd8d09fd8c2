// Bitonic merge sort: strides inside a block in shared memory, the others in global memory.
#include "programs.cuh"
const unsigned B = 256;
__device__ void order(unsigned &a, unsigned &b, bool up) {
    if ((a > b) == up) {
        unsigned t = a;
        a = b, b = t;
    }
}
__global__ void wide(unsigned *a, unsigned size, unsigned stride) {
    unsigned t = blockIdx.x * B + threadIdx.x, at = 2 * t - (t & (stride - 1));
    order(a[at], a[at + stride], !(at & size));
}
__global__ void inside(unsigned *a, unsigned from, unsigned size_last) {
    __shared__ unsigned s[2 * B];
    unsigned t = threadIdx.x, base = blockIdx.x * 2 * B;
    s[t] = a[base + t], s[t + B] = a[base + t + B];
    for (unsigned size = from; size <= size_last; size *= 2)
        for (unsigned stride = min(size / 2, B); stride; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * t - (t & (stride - 1));
            order(s[at], s[at + stride], !((base + at) & size));
        }
    __syncthreads();
    a[base + t] = s[t], a[base + t + B] = s[t + B];
}
int main() {
    const unsigned n = 1 << 14;
    std::vector<unsigned> a(n);
    for (auto &x : a) x = rnd() % 50000;
    unsigned *d = device(a);
    inside<<<n / (2 * B), B>>>(d, 2, 2 * B);
    for (unsigned size = 4 * B; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride > B; stride /= 2) wide<<<n / (2 * B), B>>>(d, size, stride);
        inside<<<n / (2 * B), B>>>(d, size, size);
    }
    std::sort(a.begin(), a.end());
    equal("sorted", host(d, n), a);
    return verdict();
}
