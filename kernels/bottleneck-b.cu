__global__ void b(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], p = 0, q = 1;
    for (int k = 0; k < 400; k++) {
        p = p * v + 0.5f;
        q = q * v - 0.25f;
    }
    y[i] = p + q;
}

void mystery(const float *x, float *y, int n) { b<<<n / 256, 256>>>(x, y, n); }
