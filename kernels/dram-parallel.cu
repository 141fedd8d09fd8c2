// The baseline of dram-parallel: the accesses coalesce, but far too few bytes are under way. Each multiprocessor
// has one block of 128 threads, and each thread has one 4-byte load under way.
const int BLOCK = 128, BLOCKS_PER_PROCESSOR = 1;

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
