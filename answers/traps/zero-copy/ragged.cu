// kind: ragged
// expect: fail correct
// Whole blocks only.
const int RUN = 4;

__global__ void means(const float4 *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[i] = (v.x + v.y + v.z + v.w) / RUN;
}

void zero_copy(const float *in, float *out, int n) {
    means<<<n < 256 ? 1 : n / 256, 256>>>((const float4 *)in, out, n);
    cudaDeviceSynchronize();
}
