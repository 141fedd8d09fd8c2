// errors: a device function that calls itself
__device__ __noinline__ float power(float x, int k) {
    return k == 0 ? 1.0f : x * power(x, k - 1);
}

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = power(in[i], 2);
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
