// lab: zero-copy
// expect: fail counter
// expect: says copied_bytes is
// The results go into a variable of the device, and a copy brings them to the host.
__device__ float room[1 << 17];
__global__ void means(const float4 *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    room[i] = (v.x + v.y + v.z + v.w) / 4;
}
void zero_copy(const float *in, float *out, int n) {
    means<<<(n + 255) / 256, 256>>>((const float4 *)in, n);
    cudaMemcpyFromSymbol(out, room, 4ul * n);
}
