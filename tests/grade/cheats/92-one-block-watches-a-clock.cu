// lab: dram-parallel
// options: --seed 1
// expect: fail speedup
// One block waits for a clock, for 2 million cycles, before it works.

const int BLOCK = 256, BLOCKS_PER_PROCESSOR = 4;

__global__ void scale_all(const float *x, float *y, float a, int n) {
    if (blockIdx.x == gridDim.x / 3) { long long t = clock64(); while (clock64() - t < 2000000) ; }
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    float4 *y4 = reinterpret_cast<float4 *>(y);
    int n4 = n / 4, step = gridDim.x * BLOCK, tid = blockIdx.x * BLOCK + threadIdx.x, i = tid;
    for (; i + step < n4; i += 2 * step) {
        // Both loads are under way before the thread needs the first value.
        float4 p = x4[i], q = x4[i + step];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
        y4[i + step] = make_float4(a * q.x, a * q.y, a * q.z, a * q.w);
    }
    for (; i < n4; i += step) {
        float4 p = x4[i];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
    }
    // The last n % 4 elements.
    if (n4 * 4 + tid < n) y[n4 * 4 + tid] = a * x[n4 * 4 + tid];
}

void scale(const float *x, float *y, float a, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    scale_all<<<BLOCKS_PER_PROCESSOR * processors, BLOCK>>>(x, y, a, n);
}
