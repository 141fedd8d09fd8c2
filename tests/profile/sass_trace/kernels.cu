// Two kernels whose instructions sass_trace.py knows; with an argument a third one, which allocates memory.
#include <cstdio>
__global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void tile(int *out) {
    __shared__ int t[64];
    t[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = t[63 - threadIdx.x];
}
__global__ void allocate(int *out) {
    int *p = (int *)malloc(sizeof *p);
    *out = p != NULL;
    free(p);
}
int main(int argc, char **) {
    const int n = 2 * 3 * 96;
    float *x, *y;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMemset(x, 0, n * sizeof *x);
    cudaMemset(y, 0, n * sizeof *y);
    saxpy<<<dim3(2, 3), 96>>>(y, x, 2, n - 40);
    tile<<<1, 64>>>((int *)x);
    if (argc > 1) allocate<<<1, 1>>>((int *)x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(x);
    cudaFree(y);
}
