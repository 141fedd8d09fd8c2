// histogram, solved: private copies in shared memory, many bytes per thread, one merge per block.
// zh: histogram 的参考答案：私有副本放在共享内存里，每个线程统计许多字节，每个块只合并一次。
const int BINS = 256, BLOCK = 1024, COPIES = 16;

__global__ void __launch_bounds__(BLOCK) count(const unsigned char *data, unsigned *bins, int n) {
    // Each block has COPIES histograms. Lanes that read the same value then rarely update the same word.
    // One word of padding puts the same bin of different copies into different banks.
    // zh: 每个块有 COPIES 份直方图，所以读到相同值的 lane 很少更新同一个字。
    // zh: 每份填充一个字，让不同副本的同一个桶落在不同的存储体里。
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
    // A grid-stride loop with 16 bytes per load.
    // zh: 网格跨步循环，每次读 16 字节。
    for (int i = tid; i < n16; i += step) {
        uint4 v = data16[i];
        put(v.x), put(v.y), put(v.z), put(v.w);
    }
    if (n16 * 16 + tid < n) atomicAdd(&mine[data[n16 * 16 + tid]], 1u); // the last n % 16 bytes
    // zh: 最后的 n % 16 个字节
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += BLOCK) { // at most one global atomic per bin and block
    // zh: 每个块对每个桶最多做一次全局原子操作
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
