// For `machine`: block 1, thread 7 has i = 71 and sums t[7..10] = 71 + 72 + 73 + 74 = 290; i is odd, so 290 * 3 = 870 are added to
// c[71], which is 1000. With an argument, twelve threads have no element of c. `more` calls nothing, so that its code of nvcc -G can
// be executed, too.
#include <cstdio>

__global__ void scale(const float *a, float *c, int n, float f) {
    __shared__ float t[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 4; k++)
        s += t[(threadIdx.x + k) % 64];
    if (i % 2)
        s = s * f;
    else
        s = s / f;
    if (i < n)
        c[i] = c[i] + s;
}

__global__ void more(float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = c[i] + 1;
}

int main(int argc, char **) {
    const int n = 180;
    float *a, *c, h[192];
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&c, n * sizeof *h);
    for (int i = 0; i < 192; i++) h[i] = i;
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) h[i] = 1000;
    cudaMemcpy(c, h, n * sizeof *h, cudaMemcpyHostToDevice);
    scale<<<3, 64>>>(a, c, argc > 1 ? 192 : n, 3);
    more<<<3, 64>>>(c, n);
    cudaMemcpy(h, c, n * sizeof *h, cudaMemcpyDeviceToHost);
    printf("c[71] = %g\n", h[71]);
}
