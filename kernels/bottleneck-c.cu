__global__ void c(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < 200; k++) at = ((int)(1000 * fabsf(x[at])) + at * 13 + k) % n;
    y[i] = x[at];
}

void mystery(const float *x, float *y, int n) { c<<<n / 32, 32>>>(x, y, n); }
