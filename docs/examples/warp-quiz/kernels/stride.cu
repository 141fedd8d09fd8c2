// What the quiz measures: every lane loads its neighbour but one.
__global__ void every_second(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[2 * i];
}

void stride(const float *x, float *y, int n) {
    every_second<<<(n + 255) / 256, 256>>>(x, y, n);
}
