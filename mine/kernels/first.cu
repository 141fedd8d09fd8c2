// The reference for first: straightforward, and right for every n.
__global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}

void first(const float *x, float *y, float factor, int n) {
    const int block = 64;
    scale<<<(n + block - 1) / block, block>>>(x, y, factor, n);
}
