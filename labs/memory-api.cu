// memory-api: out[i] = in[i] + 1, computed on the device. Both arrays are in the host's memory.
//
// out[i] = in[i] + 1，要在设备上计算。两个数组都在主机内存里。

__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

// in and out are host memory: the device cannot reach them.
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    // TODO: five steps: allocate device memory, copy in, launch, copy out, free.
    // TODO：五个步骤：分配设备内存、拷入、启动、拷出、释放。
    v = out;
    for (int i = 0; i < n; i++) v[i] = in[i];
    add_one<<<(n + 255) / 256, 256>>>(v, n); // a host pointer: what will the device say? / 这是主机指针，设备会怎么说？
}
