// configuration, solved: the launch has as many blocks as the device holds at a time, so one wave does all the work.
// zh: configuration 的参考答案：设备能同时驻留多少块就启动多少块，一波做完全部工作。
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    // This is a multiple of the warp size and at most half of what a multiprocessor holds.
    // zh: 是 warp 大小的整数倍，而且不超过多处理器容量的一半。
    const int threads = 256;
    int device, processors, blocks;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, threads, 0);
    walk<<<processors * blocks, threads>>>(next, out, steps, n);
}
