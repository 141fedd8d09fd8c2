// kind: slow
// expect: fail counter global_loads
// expect: met correct
// Half the technique: more threads, 4 bytes at a time.
const int BLOCK = 256, BLOCKS_PER_PROCESSOR = 8;

__global__ void scale_all(const float *x, float *y, float a, int n) {
    int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) y[i] = a * x[i];
}

void scale(const float *x, float *y, float a, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    scale_all<<<BLOCKS_PER_PROCESSOR * processors, BLOCK>>>(x, y, a, n);
}
