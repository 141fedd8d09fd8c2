// lab: zero-copy
// expect: pass
// The sums stay in a variable of the device; a second kernel divides them and writes the host's memory.
__device__ float sums[1 << 17];
__global__ void add(const float4 *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    sums[i] = v.x + v.y + v.z + v.w;
}
__global__ void divide(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sums[i] / 4;
}
void zero_copy(const float *in, float *out, int n) {
    const float *mapped;
    cudaHostGetDevicePointer((void **)&mapped, (void *)in, 0);
    add<<<(n + 255) / 256, 256>>>((const float4 *)mapped, n);
    divide<<<(n + 255) / 256, 256>>>(out, n);
    cudaDeviceSynchronize();
}
