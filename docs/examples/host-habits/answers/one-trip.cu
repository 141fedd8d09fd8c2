// one-trip, solved: the array stays on the device between passes.
// zh: one-trip 的参考答案：各遍之间数组一直留在设备上。
__global__ void smooth(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 0.5f * v[i] + 1;
}

void one_trip(const float *x, float *y, int n, int passes) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    cudaMemcpy(v, x, bytes, cudaMemcpyHostToDevice);
    for (int p = 0; p < passes; p++) smooth<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(y, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
}
