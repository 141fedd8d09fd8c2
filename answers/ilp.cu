// ilp, solved: each thread has eight independent chains. While one chain waits for its result, the
// thread advances the others. The number of warps is the same.
// zh: ilp 的参考答案：每个线程有八条互不依赖的链。一条链等结果时，线程推进其余的链。warp 数不变。

// One block for each multiprocessor, one warp for each of its schedulers.
// zh: 每个多处理器一个块，它的每个调度器一个 warp。
const int BLOCK = 128;
// The number of keys that a thread hashes at the same time.
// zh: 一个线程同时处理的 key 数。
const int EACH = 8;
const unsigned PRIME = 16777619u;

__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += EACH * step) {
        unsigned h[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) h[j] = i + j * step < n ? key[i + j * step] : 0;
        for (int k = 0; k < rounds; k++) {
            // These steps do not wait for each other.
            // zh: 这几步互不等待。
#pragma unroll
            for (int j = 0; j < EACH; j++) h[j] = (h[j] ^ k) * PRIME;
        }
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (i + j * step < n) hash[i + j * step] = h[j];
    }
}

void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    stretch<<<processors, BLOCK>>>(key, hash, rounds, n);
}
