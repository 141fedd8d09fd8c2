// lab: histogram
// options: --seed 7
// expect: fail speedup
// The baseline's atomics, in sixteen pieces that run side by side: the units that serve 256 words of L2 are the same
// for all of them.
const int BINS = 256, BLOCK = 256, PIECES = 16;

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
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
        count<<<(here + BLOCK - 1) / BLOCK, BLOCK, 0, stream[k]>>>(data + first, bins, here);
        cudaEventRecord(done, stream[k]);
        cudaStreamWaitEvent(cudaStreamLegacy, done);
    }
}
