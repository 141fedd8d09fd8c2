// kind: wrong
// expect: fail correct
// Two half chains side by side, put together at the end: the rounds of one key cannot be taken apart.
const int BLOCK = 128; // one block for each multiprocessor, one warp for each of its schedulers
const unsigned PRIME = 16777619u;

// A key is stretched: `rounds` times the same mix, each of which needs the result of the one before.
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        unsigned h = key[i], g = h;
        for (int k = 0; k < rounds / 2; k++) h = (h ^ k) * PRIME, g = (g ^ (k + rounds / 2)) * PRIME;
        hash[i] = h ^ g;
    }
}

void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    stretch<<<processors, BLOCK>>>(key, hash, rounds, n);
}
