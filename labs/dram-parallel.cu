// dram-parallel: y = a * x for n floats. Every access is coalesced. Still,
// the memory is idle most of the time, since too few loads are under way.
// zh: y = a * x，共 n 个 float。所有访问都是合并的，
// zh: 但在途的读取太少，内存大部分时间都闲着。

const int BLOCK = 128, BLOCKS_PER_PROCESSOR = 1;

__global__ void scale_all(const float *x, float *y, float a, int n) {
    // TODO: load 16 bytes at a time (float4), and let each
    // thread have at least two loads under way. Then raise the
    // two constants above: launch more threads and more blocks.
    // zh: TODO：每次读 16 字节（float4），让每个线程至少有两次读取在途。
    // zh: 然后增大上面的两个常量：启动更多线程、更多块。
    int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step)
        y[i] = a * x[i];
}

void scale(const float *x, float *y, float a, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    scale_all<<<BLOCKS_PER_PROCESSOR * processors, BLOCK>>>(x, y, a, n);
}
