// lab: reduce-7-shuffle
// expect: fail correct
// Volatile sums and volatile flags WITHOUT any fence; a late store stays invisible for at most eight loads of the word, so the reader loads each sum twelve times and believes the last one.
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;
__device__ volatile int part[MOST_BLOCKS];
__device__ volatile int ready[MOST_BLOCKS];

__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}
__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK / 32];
    unsigned tid = threadIdx.x, b = blockIdx.x;
    int mine = 0;
    for (unsigned i = b * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid >= 32) return;
    mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0);
    if (b < gridDim.x - 1) {
        if (tid == 0) {
            part[b] = mine;
            ready[b] = 1; // no fence
        }
        return;
    }
    if (tid > 0) mine = 0;
    for (unsigned o = tid; o + 1 < gridDim.x; o += 32) {
        while (ready[o] != 1) {}
        int v = 0;
        for (int k = 0; k < 12; k++) v = part[o];
        mine += v;
    }
    mine = warp_sum(mine);
    if (tid == 0) *total = mine;
}
void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 8 * processors;
    void *flags;
    cudaGetSymbolAddress(&flags, ready);
    cudaMemsetAsync(flags, 0, sizeof(int) * MOST_BLOCKS);
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
