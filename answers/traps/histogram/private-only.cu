// kind: slow
// expect: fail counter global_atomics
// expect: met correct
// Half the technique: private, but with a block for every 256 bytes the merge is as much work as the counting was.
const int BINS = 256, BLOCK = 256;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned mine[BINS]; // this block's own histogram
    for (int b = threadIdx.x; b < BINS; b += BLOCK) mine[b] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(data, bins, n);
}
