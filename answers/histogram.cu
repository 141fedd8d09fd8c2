// histogram, solved: private copies in shared memory, many bytes per thread, one merge per block.
// zh: histogram 的参考答案：私有副本放在共享内存里，每个线程处理许多字节，每个块合并一次。
const int BINS = 256, BLOCK = 1024, COPIES = 16;

__global__ void __launch_bounds__(BLOCK) count(const unsigned char *data, unsigned *bins, int n) {
    // COPIES histograms per block, so that lanes that meet the same value rarely meet in the same word; one word of padding puts
    // equal bins of different copies into different banks.
    // zh: 每块 COPIES 份直方图，让取到相同值的 lane 很少落到同一个字上；补一个字，使各副本的同一个桶
    // zh: 落在不同的存储体。
    __shared__ unsigned copy[COPIES][BINS + 1];
    for (int k = threadIdx.x; k < COPIES * (BINS + 1); k += BLOCK) (&copy[0][0])[k] = 0;
    __syncthreads();

    unsigned *mine = copy[threadIdx.x % COPIES];
    const int tid = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    auto put = [&](unsigned four) {
        atomicAdd(&mine[four & 255], 1u);
        atomicAdd(&mine[four >> 8 & 255], 1u);
        atomicAdd(&mine[four >> 16 & 255], 1u);
        atomicAdd(&mine[four >> 24], 1u);
    };
    const uint4 *data16 = reinterpret_cast<const uint4 *>(data);
    const int n16 = n / 16;
    // 16 bytes per load, as many turns as it takes.
    // zh: 每次读取 16 字节，需要几圈就转几圈。
    for (int i = tid; i < n16; i += step) {
        uint4 v = data16[i];
        put(v.x), put(v.y), put(v.z), put(v.w);
    }
    if (n16 * 16 + tid < n) atomicAdd(&mine[data[n16 * 16 + tid]], 1u); // the last n % 16
    // zh: 最后的 n % 16 个
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += BLOCK) { // one global atomic per bin and block
    // zh: 每个块对每个桶只做一次全局原子操作
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][b];
        if (sum) atomicAdd(&bins[b], sum);
    }
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n / 16 + BLOCK - 1) / BLOCK, enough = 2 * processors;
    if (needed < 1) needed = 1;
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<needed < enough ? needed : enough, BLOCK>>>(data, bins, n);
}
