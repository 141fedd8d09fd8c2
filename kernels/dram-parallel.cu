// The baseline of dram-parallel: coalesced, and far too few bytes under way: one block of 128 threads per
// multiprocessor, with one 4-byte load each.
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
