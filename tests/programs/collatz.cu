// Lengths of chains in 64 bits, the longest found by a maximum over packed pairs.
// fast
#include "programs.cuh"
__host__ __device__ inline int length(unsigned long long n) {
    int k = 0;
    for (; n != 1; k++) n = n & 1 ? 3 * n + 1 : n / 2;
    return k;
}
__global__ void longest(unsigned n, unsigned long long *best) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= n) atomicMax(best, (unsigned long long)length(i) << 32 | i);
}
int main() {
    const unsigned n = 20000;
    auto *best = zeros<unsigned long long>(1);
    longest<<<blocks(n, 128), 128>>>(n, best);
    unsigned long long want = 0;
    for (unsigned i = 1; i <= n; i++) want = std::max(want, (unsigned long long)length(i) << 32 | i);
    is("chain", (double)(host(best, 1)[0] >> 32), (double)(want >> 32));
    is("number", (double)(unsigned)host(best, 1)[0], (double)(unsigned)want);
    return verdict();
}
