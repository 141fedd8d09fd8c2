// lab: histogram
// options: --secret 2
// expect: fail correct
// Private counters of 8 bits, each for a share of up to 284 bytes of the input.
const int BINS = 256, BLOCK = 1024, COPIES = 32;
__global__ void __launch_bounds__(BLOCK) count(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned copy[COPIES][65];
    for (int k = threadIdx.x; k < COPIES * 65; k += BLOCK) (&copy[0][0])[k] = 0;
    __syncthreads();
    unsigned *mine = copy[threadIdx.x % COPIES];
    const int tid = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    auto put = [&](unsigned v) { atomicAdd(&mine[v & 63], 1u << (v >> 6) * 8); };
    const unsigned *data4 = (const unsigned *)data;
    for (int i = tid; i < n / 4; i += step) {
        unsigned v = data4[i];
        put(v & 255), put(v >> 8 & 255), put(v >> 16 & 255), put(v >> 24);
    }
    if (n / 4 * 4 + tid < n) put(data[n / 4 * 4 + tid]);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][b & 63] >> (b >> 6) * 8 & 255;
        if (sum) atomicAdd(&bins[b], sum);
    }
}
void histogram(const unsigned char *data, unsigned *bins, int n) {
    int needed = (n / 4 + BLOCK - 1) / BLOCK;
    if (needed < 1) needed = 1;
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<needed < 264 ? needed : 264, BLOCK>>>(data, bins, n);
}
