__global__ void d(const float *x, float *y, int n) {
    __shared__ float s[32 * 32];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 256) s[k] = x[(blockIdx.x * 1024 + k) % n];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += s[(t * 32 + k) % 1024];
    y[blockIdx.x * 256 + t] = sum;
}

void mystery(const float *x, float *y, int n) { d<<<n / 256, 256>>>(x, y, n); }
