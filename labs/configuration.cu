// configuration: from each of n places, follow `steps` signs; out[i] is
// where it ends.
// zh: configuration：从 n 个地点出发，各走 `steps` 步，每步看路牌；
// zh: out[i] 是终点。
//
// The kernel is right with any grid and any block. Only its launch is yours.
// zh: 核函数用什么网格、什么块都正确，归你管的只有启动。
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    // TODO: grid and block for whatever device this runs on. Ask it:
    // zh: TODO：为运行它的设备选择网格和块。向设备查询：
    //     cudaDeviceGetAttribute(&processors,
    //                            cudaDevAttrMultiProcessorCount, device)
    //     cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk,
    //                                                   threads, 0)
    walk<<<16, 100>>>(next, out, steps, n);
}
