// A hash by remainders of a number known at run time only: each is some twenty instructions.
// expect: limiter issue, advice math
#include <cstdio>
__global__ void hash(unsigned *out, unsigned prime, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i + 1;
    for (int k = 0; k < rounds; k++) h = (h * 31 + k) % prime;
    out[i] = h;
}
int main() {
    unsigned *out;
    cudaMalloc(&out, 132 * 8 * 256 * 4);
    hash<<<132 * 8, 256>>>(out, 1000003, 64);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(out);
    return bad;
}
