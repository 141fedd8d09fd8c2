// configuration: next[i] is the place after place i. A walk of `steps` steps
// that begins at place i ends at out[i].
// zh: configuration：next[i] 是地点 i 的下一个地点。
// zh: 从地点 i 出发走 `steps` 步，终点是 out[i]。
//
// The kernel is right with any grid and any block. You write only its launch.
// zh: 核函数用什么网格、什么块都正确。你只需要写启动配置。
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    // TODO: choose a grid and a block that suit any device. Ask the device:
    // zh: TODO：选择适合任何设备的网格和块。向设备查询：
    //     cudaDeviceGetAttribute(&processors,
    //                            cudaDevAttrMultiProcessorCount, device)
    //     cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk,
    //                                                   threads, 0)
    walk<<<16, 100>>>(next, out, steps, n);
}
