// histogram: bins[v] is the number of bytes among data[0] ... data[n - 1]
// that are equal to v.
//
// The result is correct, but the kernel is slow: all threads of the device
// add to the same 256 words of global memory.
// zh: bins[v] 是 data[0] 到 data[n - 1] 中等于 v 的字节数。
// zh:
// zh: 结果正确，但很慢：设备的所有线程都往全局内存的那 256 个字上加。

const int BINS = 256, BLOCK = 256;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    // TODO: give each block its own histogram in shared memory. Each block adds
    // it to bins once, at the end. Then let each block count many more bytes,
    // because each block merges only once.
    // Then find where lanes of a warp still want the same word.
    // zh: TODO：让每个块在共享内存里有自己的直方图，最后合并到 bins，只合并一次。
    // zh: 然后让每个块统计多得多的字节，因为每个块只合并一次。
    // zh: 最后看看一个 warp 的 lane 还在哪里争用同一个字。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(data, bins, n);
}
