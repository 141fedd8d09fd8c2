// dram-parallel: y = a * x for n floats. Every access is coalesced, and still
// the memory idles most of the time: too few loads are under way.
// zh: y = a * x，共 n 个 float。所有访问都是合并的，
// zh: 内存却大部分时间闲着：在途的读取太少。

const int BLOCK = 128, BLOCKS_PER_PROCESSOR = 1;

__global__ void scale_all(const float *x, float *y, float a, int n) {
    // TODO: 16 bytes per load (float4), and two loads or more under way per
    // thread. Then choose the launch by the two constants above: more threads,
    // more blocks.
    // zh: TODO：每次读 16 字节（float4），每个线程同时有两次以上的读取在途。
    // zh: 然后用上面的两个常量调整启动参数：更多线程、更多块。
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
