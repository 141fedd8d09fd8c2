// vector-add: cudaLaunchKernel with an array of arguments, an extern "C" kernel with launch bounds
extern "C" __global__ void __launch_bounds__(128, 4)
add_bounded(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    void *args[] = {&a, &b, &c, &n};
    cudaLaunchKernel((const void *)add_bounded, dim3((n + 127) / 128), dim3(128), args, 0, nullptr);
}
