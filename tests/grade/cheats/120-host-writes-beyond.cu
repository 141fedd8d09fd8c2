// lab: zero-copy
// expect: fail correct
// expect: says it wrote outside of the array
// The host clears the results first, and one element too many.
__global__ void means(const float4 *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i].x + in[i].y + in[i].z + in[i].w) / 4;
}
void zero_copy(const float *in, float *out, int n) {
    for (int i = 0; i <= n; i++) out[i] = 0;
    means<<<(n + 255) / 256, 256>>>((const float4 *)in, out, n);
    cudaDeviceSynchronize();
}
