// lab: ilp
// expect: pass
// ilp, solved: eight independent chains per thread. While one waits for its result, the others go on; no warp is added.
// zh: ilp 的参考答案：每个线程八条互不依赖的链。一条等结果时，其余的继续；没有增加 warp。
const int BLOCK = 128; // one block for each multiprocessor, one warp for each of its schedulers
// zh: 每个多处理器一个块，它的每个调度器一个 warp
const int EACH = 8;    // keys that a thread stretches side by side
// zh: 一个线程同时拉伸的 key 数
const unsigned PRIME = 16777619u;

__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += EACH * step) {
        unsigned h[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) h[j] = i + j * step < n ? key[i + j * step] : 0;
        for (int k = 0; k < rounds; k++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) h[j] = (h[j] ^ k) * PRIME; // these do not wait for each other
            // zh: 这几步互不等待
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
