// sim only
// expect: done
// finding: race
// A kernel fetches from a texture what another stream writes.
#include "common.h"
__global__ void sum(cudaTextureObject_t t, int n, float *out) {
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += tex1Dfetch<float>(t, i);
    out[threadIdx.x] = s;
}
int main() {
    enum { N = 1000 };
    float *x, *out;
    cudaStream_t a, b;
    CK(cudaMalloc(&x, N * sizeof *x));
    CK(cudaMalloc(&out, 32 * sizeof *out));
    CK(cudaMemset(x, 0, N * sizeof *x));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = x, r.res.linear.sizeInBytes = N * sizeof *x, r.res.linear.desc = cudaCreateChannelDesc<float>();
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    sum<<<1, 32, 0, a>>>(t, N, out);
    CK(cudaMemsetAsync(x + N - 1, 0, sizeof *x, b));
    CK(cudaDeviceSynchronize());
    CK(cudaDestroyTextureObject(t));
    cudaFree(x);
    cudaFree(out);
    printf("done\n");
}
