// A polynomial of as many terms as wanted at each of n points, for lessons on the roofline: 8 bytes a point, 2 operations a term.

__global__ void horner(const float *x, float *y, int terms, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float point = x[i], value = 0;
    for (int k = 0; k < terms; k++) value = value * point + 0.5f;
    y[i] = value;
}

void polynomial(const float *x, float *y, int terms, int n) {
    horner<<<(n + 255) / 256, 256>>>(x, y, terms, n);
}
