// kind: slow
// expect: fail counter achieved_occupancy_pct
// expect: met speedup
// expect: met correct
// Hides the latency with four times as many warps. That works, but it is not what this lab is about.
const int BLOCK = 128; // four blocks for each multiprocessor
const unsigned PRIME = 16777619u;

// Hashes each key in `rounds` rounds. Each round needs the result of the previous round.
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        unsigned h = key[i];
        for (int k = 0; k < rounds; k++) h = (h ^ k) * PRIME;
        hash[i] = h;
    }
}

void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    stretch<<<4 * processors, BLOCK>>>(key, hash, rounds, n);
}
