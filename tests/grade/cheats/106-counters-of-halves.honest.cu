// lab: histogram
// expect: pass
// Private counters of 16 bits, two in a word. A block counts at most 32 KB of the input, so they never overflow.
const int BINS = 256, BLOCK = 256, COPIES = 32, WORDS = BINS / 2 + 1, MOST = 1 << 15;
__global__ void __launch_bounds__(BLOCK) count(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned copy[COPIES][WORDS];
    for (int k = threadIdx.x; k < COPIES * WORDS; k += BLOCK) (&copy[0][0])[k] = 0;
    __syncthreads();
    unsigned *mine = copy[threadIdx.x % COPIES];
    int tid = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    auto put = [&](unsigned v) { atomicAdd(&mine[v % 128], 1u << v / 128 * 16); };
    for (int i = tid; i < n / 4; i += step) {
        unsigned v = ((const unsigned *)data)[i];
        put(v & 255), put(v >> 8 & 255), put(v >> 16 & 255), put(v >> 24);
    }
    if (n / 4 * 4 + tid < n) put(data[n / 4 * 4 + tid]);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][b % 128] >> b / 128 * 16 & 65535;
        if (sum) atomicAdd(&bins[b], sum);
    }
}
void histogram(const unsigned char *data, unsigned *bins, int n) {
    int blocks = (n + 4 * BLOCK - 1) / (4 * BLOCK), enough = 264, needed = n / (MOST / 2) + 1;
    if (needed > enough) enough = needed;
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<blocks < enough ? blocks : enough, BLOCK>>>(data, bins, n);
}
