// histogram: bins[v] is how often the byte v occurs among data[0] ...
// data[n - 1].
//
// Right, and slow: every thread of the device adds to the same 256 words of
// global memory.
// zh: bins[v] 是字节值 v 在 data[0] 到 data[n - 1] 中出现的次数。
// zh:
// zh: 结果正确，但很慢：整个设备的线程都在往全局内存的同样 256 个字里加。

const int BINS = 256, BLOCK = 256;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    // TODO: give each block a histogram of its own in shared memory, and merge
    // it into bins once, at the end. Then let each block count many more
    // bytes: the merge is paid once per block.
    // Then see where the lanes of a warp still meet.
    // zh: TODO：让每个块在共享内存里有自己的直方图，最后才合并到 bins 一次。
    // zh: 然后让每个块统计多得多的字节：合并的代价每块只付一次。
    // zh: 最后看看一个 warp 的 lane 还在哪里相撞。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(data, bins, n);
}
