// lab: reduce-7-shuffle
// expect: pass
// The last block waits for the sums of all blocks before it and adds them up (look-back): no atomics; waiting reads global memory again and again.
const unsigned BLOCK = 256, MOST = 2048;
__device__ int total_to[MOST];
__device__ volatile int done[MOST];
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}
__global__ void clear() {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < MOST) done[i] = 0;
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
        if (tid) return;
        total_to[b] = mine;
        __threadfence();
        done[b] = 1;
        return;
    }
    if (tid) mine = 0;
    for (unsigned k = tid; k < b; k += 32) {
        while (!done[k]) {}
        __threadfence();
        mine += ((volatile int *)total_to)[k];
    }
    mine = warp_sum(mine);
    if (tid == 0) *total = mine;
}
void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 8 * processors;
    if (enough > (int)MOST) enough = MOST;
    clear<<<MOST / BLOCK, BLOCK>>>();
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
