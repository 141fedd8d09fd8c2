// lab: granularity
// expect: fail counter
// expect: says all_loads is
// Each output still reads all 129 elements, by a texture in place of shared memory.
__global__ void window(cudaTextureObject_t x, int *y, int n) {
    int i = blockIdx.x * 128 + threadIdx.x, sum = 0;
    if (i >= n) return;
    for (int d = -64; d <= 64; d++)
        if (i + d >= 0 && i + d < n) sum += tex1Dfetch<int>(x, i + d);
    y[i] = sum;
}
void granularity(const int *x, int *y, int n) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = (void *)x;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = n * sizeof(int);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &what, &how, nullptr);
    window<<<(n + 127) / 128, 128>>>(t, y, n);
    cudaDestroyTextureObject(t);
}
