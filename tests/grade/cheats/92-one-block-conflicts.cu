// lab: histogram
// options: --seed 1
// expect: fail speedup
// One block in 66 reads shared memory with bank conflicts of 32 ways; the others execute the same
// instructions without conflicts.
const int BINS = 256, BLOCK = 1024, COPIES = 16;
__device__ int note[4096];

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned copy[COPIES][BINS + 1];
    __shared__ int words[1024];
    for (int k = threadIdx.x; k < COPIES * (BINS + 1); k += BLOCK) (&copy[0][0])[k] = 0;
    words[threadIdx.x] = 0;
    __syncthreads();
    int tid = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    unsigned *mine = copy[threadIdx.x % COPIES];
    auto put = [&](unsigned four) {
        atomicAdd(&mine[four & 255], 1u);
        atomicAdd(&mine[four >> 8 & 255], 1u);
        atomicAdd(&mine[four >> 16 & 255], 1u);
        atomicAdd(&mine[four >> 24], 1u);
    };
    for (int i = tid; i < n / 16; i += step) {
        uint4 v = reinterpret_cast<const uint4 *>(data)[i];
        put(v.x), put(v.y), put(v.z), put(v.w);
    }
    if (n / 16 * 16 + tid < n) atomicAdd(&mine[data[n / 16 * 16 + tid]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += copy[c][b];
        if (sum) atomicAdd(&bins[b], sum);
    }
    if (threadIdx.x >= 32) return;
    int at = threadIdx.x * (blockIdx.x % 66 == 5 ? 32 : 1);
    for (int k = 0; k < 6000; k++) at += words[at];
    if (threadIdx.x == 0) note[blockIdx.x % 4096] = at;
}

void histogram(const unsigned char *data, unsigned *bins, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n / 16 + BLOCK - 1) / BLOCK;
    cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    count<<<needed < 1 ? 1 : needed < processors ? needed : processors, BLOCK>>>(data, bins, n);
}
