// dram-parallel, solved: each multiprocessor has 4 blocks of 256 threads, and each thread has two
// 16-byte loads under way. So 64 times as many bytes are under way as in the baseline.
// zh: dram-parallel 的参考答案：每个多处理器有 4 个 256 线程的块，每个线程有两次
// zh: 16 字节的读取在途。在途字节数是基线的 64 倍。
const int BLOCK = 256, BLOCKS_PER_PROCESSOR = 4;

__global__ void scale_all(const float *x, float *y, float a, int n) {
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    float4 *y4 = reinterpret_cast<float4 *>(y);
    int n4 = n / 4, step = gridDim.x * BLOCK, tid = blockIdx.x * BLOCK + threadIdx.x, i = tid;
    for (; i + step < n4; i += 2 * step) {
        // Both loads are under way before the thread needs the first value.
        // zh: 线程用到第一个值之前，两次读取都已在途。
        float4 p = x4[i], q = x4[i + step];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
        y4[i + step] = make_float4(a * q.x, a * q.y, a * q.z, a * q.w);
    }
    for (; i < n4; i += step) {
        float4 p = x4[i];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
    }
    // The last n % 4 elements.
    // zh: 最后 n % 4 个元素。
    if (n4 * 4 + tid < n) y[n4 * 4 + tid] = a * x[n4 * 4 + tid];
}

void scale(const float *x, float *y, float a, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    scale_all<<<BLOCKS_PER_PROCESSOR * processors, BLOCK>>>(x, y, a, n);
}
