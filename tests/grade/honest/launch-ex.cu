// vector-add: a launch by cudaLaunchKernelEx with attributes
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((n + 255) / 256);
    config.blockDim = dim3(256);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = 0;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, add, a, b, c, n);
}
