// lab: errors
// expect: fail correct
// expect: finding race
// The host writes the next number into managed memory while the kernel still reads the one before.
__global__ void square(const float *a, float *c, const int *n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *n) c[i] = a[i] * a[i];
}
void errors(const float *a, float *c, int n) {
    int *all;
    cudaMallocManaged(&all, sizeof(int));
    *all = n;
    square<<<(n + 255) / 256, 256>>>(a, c, all);
    *all = 0;
    cudaDeviceSynchronize();
    cudaFree(all);
}
