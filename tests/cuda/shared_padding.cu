// Dynamic shared memory starts aligned: the padding behind a small static variable does not shorten it.
// fast
// expect: 32
#include "common.h"
extern __shared__ float s[];
__global__ void k(float *out) {
    __shared__ bool last;
    s[threadIdx.x] = threadIdx.x;
    if (!threadIdx.x) last = out[0] == 0;
    __syncthreads();
    if (last) out[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
    float *d, h[32];
    CK(cudaMalloc(&d, sizeof h));
    CK(cudaMemset(d, 0, sizeof h));
    k<<<1, 32, 32 * sizeof(float)>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < 32; i++) right += h[i] == 31 - i;
    printf("%d\n", right);
    CK(cudaFree(d));
}
