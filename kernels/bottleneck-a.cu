__global__ void a(const float *x, float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    }
}

void mystery(const float *x, float *y, int n) { a<<<n / 4 / 256, 256>>>(x, y, n); }
