// kind: slow
// expect: fail counter copied_bytes
// expect: met correct
// expect: met counter global_load_sectors
// Reads well, but from device memory that is allocated, filled, emptied and freed for a single pass.
const int RUN = 4;

__global__ void means(const float4 *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[i] = (v.x + v.y + v.z + v.w) / RUN;
}

void zero_copy(const float *in, float *out, int n) {
    float *x, *y;
    cudaMalloc(&x, sizeof(float) * RUN * n);
    cudaMalloc(&y, sizeof(float) * n);
    cudaMemcpy(x, in, sizeof(float) * RUN * n, cudaMemcpyHostToDevice);
    means<<<(n + 255) / 256, 256>>>((const float4 *)x, y, n);
    cudaMemcpy(out, y, sizeof(float) * n, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
}
