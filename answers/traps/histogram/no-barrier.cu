// kind: unsafe
// expect: fail
// expect: finding race
// Merges while other warps are still counting.
const int BINS = 256, BLOCK = 1024, COPIES = 16;

__global__ void __launch_bounds__(BLOCK) count(const unsigned char *data, unsigned *bins, int n) {
    // Each block has COPIES histograms. Lanes that read the same value then rarely update the same word. One word of padding puts
    // the same bin of different copies into different banks.
    __shared__ unsigned copy[COPIES][BINS + 1];
    for (int k = threadIdx.x; k < COPIES * (BINS + 1); k += BLOCK) (&copy[0][0])[k] = 0;
    __syncthreads();

    unsigned *mine = copy[threadIdx.x % COPIES];
    const int tid = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    auto put = [&](unsigned four) {
        atomicAdd(&mine[four & 255], 1u);
        atomicAdd(&mine[four >> 8 & 255], 1u);
        atomicAdd(&mine[four >> 16 & 255], 1u);
        atomicAdd(&mine[four >> 24], 1u);
    };
    const uint4 *data16 = reinterpret_cast<const uint4 *>(data);
    const int n16 = n / 16;
    for (int i = tid; i < n16; i += step) { // a grid-stride loop with 16 bytes per load
        uint4 v = data16[i];
        put(v.x), put(v.y), put(v.z), put(v.w);
    }
    if (n16 * 16 + tid < n) atomicAdd(&mine[data[n16 * 16 + tid]], 1u); // the last n % 16 bytes

    for (int b = threadIdx.x; b < BINS; b += BLOCK) { // at most one global atomic per bin and block
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][b];
        if (sum) atomicAdd(&bins[b], sum);
    }
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n / 16 + BLOCK - 1) / BLOCK, enough = 2 * processors;
    if (needed < 1) needed = 1;
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<needed < enough ? needed : enough, BLOCK>>>(data, bins, n);
}
