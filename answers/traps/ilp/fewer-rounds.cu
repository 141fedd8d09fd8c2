// kind: cheat
// expect: fail correct
// Cheats: a hash is random anyway, so half of the rounds must do.
const int BLOCK = 128; // one block for each multiprocessor, one warp for each of its schedulers
const unsigned PRIME = 16777619u;

// Hashes each key in `rounds` rounds. Each round needs the result of the previous round.
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        unsigned h = key[i];
        for (int k = 0; k < (rounds + 1) / 2; k++) h = (h ^ k) * PRIME;
        hash[i] = h;
    }
}

void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    stretch<<<processors, BLOCK>>>(key, hash, rounds, n);
}
