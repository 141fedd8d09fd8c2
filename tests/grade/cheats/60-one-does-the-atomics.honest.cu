// lab: histogram
// options: --seed 7
// expect: pass
// Private copies in blocks of unequal shares: some merge after one part of the data, others after four.
const int BINS = 256, BLOCK = 512, BLOCKS = 264, COPIES = 16;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned copy[COPIES][BINS + 1];
    for (int k = threadIdx.x; k < COPIES * (BINS + 1); k += BLOCK) (&copy[0][0])[k] = 0;
    __syncthreads();
    unsigned *mine = copy[threadIdx.x % COPIES];
    const int parts = BLOCKS / 4 * 10, each = (n + parts - 1) / parts;
    int b = blockIdx.x % 4, first = blockIdx.x / 4 * 10 + b * (b + 1) / 2;
    for (int i = first * each + threadIdx.x; i < (first + b + 1) * each && i < n; i += BLOCK) atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][k];
        if (sum) atomicAdd(&bins[k], sum);
    }
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<BLOCKS, BLOCK>>>(data, bins, n);
}
