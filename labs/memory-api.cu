// memory-api: out[i] = in[i] + 1, computed on the device. Both arrays are in
// the host's memory.
// zh: out[i] = in[i] + 1，要在设备上计算。两个数组都在主机内存里。

__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

// in and out are host memory: the device cannot reach them.
// zh: in 和 out 在主机内存里，设备访问不到。
void memory_api(const float *in, float *out, int n) {
    float *v;
    // TODO: five steps: allocate device memory (n * sizeof(float) bytes), copy
    // in, launch, copy out, free.
    // zh: TODO：五个步骤：分配设备内存（n * sizeof(float) 字节）、拷入、启动、
    // zh: 拷出、释放。
    v = out;
    for (int i = 0; i < n; i++) v[i] = in[i];
    // This is a host pointer. What will the device say?
    // zh: 这是主机指针，设备会怎么说？
    add_one<<<(n + 255) / 256, 256>>>(v, n);
}
