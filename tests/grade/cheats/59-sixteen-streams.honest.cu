// lab: histogram
// options: --seed 7
// expect: pass
// Sixteen pieces side by side, each of few blocks with private copies: none of them fills the device alone, so together they
// take little longer than one.
const int BINS = 256, BLOCK = 256, PIECES = 16, BLOCKS = 16, COPIES = 8;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned copy[COPIES][BINS + 1];
    for (int k = threadIdx.x; k < COPIES * (BINS + 1); k += BLOCK) (&copy[0][0])[k] = 0;
    __syncthreads();
    unsigned *mine = copy[threadIdx.x % COPIES];
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][b];
        if (sum) atomicAdd(&bins[b], sum);
    }
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    static cudaStream_t stream[PIECES];
    static cudaEvent_t clear, done;
    if (!clear) {
        for (int k = 0; k < PIECES; k++) cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&clear, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    }
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    cudaEventRecord(clear);
    int each = (n + PIECES - 1) / PIECES;
    for (int k = 0; k < PIECES; k++) {
        int first = k * each, here = n - first < each ? n - first : each;
        if (here <= 0) continue;
        cudaStreamWaitEvent(stream[k], clear);
        count<<<BLOCKS, BLOCK, 0, stream[k]>>>(data + first, bins, here);
        cudaEventRecord(done, stream[k]);
        cudaStreamWaitEvent(cudaStreamLegacy, done);
    }
}
