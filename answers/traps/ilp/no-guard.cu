// kind: unsafe
// expect: fail
// expect: finding oob
// Reads keys beyond the last.
const int BLOCK = 128; // one block for each multiprocessor, one warp for each of its schedulers
const int EACH = 8;    // keys that a thread hashes at the same time
const unsigned PRIME = 16777619u;

__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += EACH * step) {
        unsigned h[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) h[j] = key[i + j * step];
        for (int k = 0; k < rounds; k++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) h[j] = (h[j] ^ k) * PRIME; // these do not wait for each other
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
