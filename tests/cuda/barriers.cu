// Barriers with counts and predicates.
// fast
// expect: count 64 and 0 or 1
// expect: reduce 8128
#include "common.h"
__global__ void k(int *o) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int c = __syncthreads_count(t % 2), a = __syncthreads_and(t < 127), r = __syncthreads_or(t == 5);
    s[t] = t;
    for (int d = 64; d; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    if (!t) o[0] = c, o[1] = a != 0, o[2] = r != 0, o[3] = s[0];
}
int main() {
    int *d, h[4];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 128>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("count %d and %d or %d\nreduce %d\n", h[0], h[1], h[2], h[3]);
}
