// one-trip: `passes` times v[i] = 0.5 * v[i] + 1, on the device. x and y are
// host memory.
// zh: one-trip：在设备上做 passes 遍 v[i] = 0.5 * v[i] + 1。
// zh: x 和 y 是主机内存。

__global__ void smooth(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 0.5f * v[i] + 1;
}

void one_trip(const float *x, float *y, int n, int passes) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    // TODO: right, but every pass crosses the bus twice. One copy in and one
    // out will do.
    // zh: TODO：结果正确，但每一遍都要来回拷贝。
    // zh: 只要一次拷入、一次拷出就够了。
    for (int p = 0; p < passes; p++) {
        cudaMemcpy(v, p ? y : x, bytes, cudaMemcpyHostToDevice);
        smooth<<<(n + 255) / 256, 256>>>(v, n);
        cudaMemcpy(y, v, bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(v);
}
