// The baseline of histogram: one global atomic per byte. The whole device competes for only 256 words.
const int BINS = 256, BLOCK = 256;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(data, bins, n);
}
