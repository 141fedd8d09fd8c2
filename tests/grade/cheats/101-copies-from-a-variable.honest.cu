// lab: zero-copy
// expect: pass
// A variable of the device holds the factor, which a kernel stores there; nothing is copied.
__device__ float factor;
__global__ void set() { factor = 0.25f; }
__global__ void means(const float4 *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[i] = (v.x + v.y + v.z + v.w) * factor;
}
void zero_copy(const float *in, float *out, int n) {
    const float *mapped;
    cudaHostGetDevicePointer((void **)&mapped, (void *)in, 0);
    set<<<1, 1>>>();
    means<<<(n + 255) / 256, 256>>>((const float4 *)mapped, out, n);
    cudaDeviceSynchronize();
}
