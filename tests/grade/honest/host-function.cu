// errors: a host function in the stream between two kernels
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    static int calls;
    square<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaLaunchHostFunc(0, [](void *p) { ++*(int *)p; }, &calls);
    cudaDeviceSynchronize();
}
