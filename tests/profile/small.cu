// A step of a simulation for a few hundred particles, launched again and again: a launch is longer than its work.
// expect: limiter launch, advice launch
#include <cstdio>
__global__ void step(float *x, float *v, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v[i] * dt;
}
int main() {
    int n = 512;
    float *x, *v;
    cudaMalloc(&x, n * 4), cudaMalloc(&v, n * 4);
    cudaMemset(x, 0, n * 4), cudaMemset(v, 0, n * 4);
    for (int k = 0; k < 20; k++) step<<<2, 256>>>(x, v, n, 0.1f);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(x), cudaFree(v);
    return bad;
}
