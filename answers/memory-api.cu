// memory-api, solved: five steps, each in its direction.
// zh: memory-api 的参考答案：五个步骤，每次拷贝都写明方向。
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

// in and out are host memory: the device cannot reach them.
// zh: in 和 out 在主机内存里，设备访问不到。
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    // Waits for the kernel.
    // zh: 这次拷贝会等核函数结束。
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
}
