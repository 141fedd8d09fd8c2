// kind: unsafe
// expect: fail
// expect: finding oob
// The threads behind the end read and write host memory that belongs to somebody else.
const int RUN = 4;

__global__ void means(const float4 *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = (v.x + v.y + v.z + v.w) / RUN;
}

void zero_copy(const float *in, float *out, int n) {
    means<<<(n + 255) / 256, 256>>>((const float4 *)in, out, n);
    cudaDeviceSynchronize();
}
