// lab: reduce-open
// expect: pass
// The same exchanges, with fences.
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;
const int FLIGHT = 4; // loads under way per thread

__device__ int left[MOST_BLOCKS]; // the sums of the blocks
__device__ unsigned finished;     // the number of blocks that are done; 0 again after the last one

__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

// Returns the sum of all threads of the block, in thread 0.
__device__ int block_sum(int mine) {
    __shared__ int sum[BLOCK / 32];
    mine = warp_sum(mine);
    __syncthreads(); // some threads may still read the array from the previous call
    if (threadIdx.x % 32 == 0) sum[threadIdx.x / 32] = mine;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < BLOCK / 32 ? sum[threadIdx.x] : 0) : 0;
}

__global__ void __launch_bounds__(BLOCK) add_up(const int *in, int *total, int n) {
    const int4 *in4 = reinterpret_cast<const int4 *>(in);
    const int n4 = n / 4, step = BLOCK * gridDim.x, tid = blockIdx.x * BLOCK + threadIdx.x;
    int mine = 0, i = tid;
    for (; i + (FLIGHT - 1) * step < n4; i += FLIGHT * step) {
        int4 v[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) v[k] = in4[i + k * step]; // all loads are under way before the first value is used
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) mine += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (; i < n4; i += step) mine += in4[i].x + in4[i].y + in4[i].z + in4[i].w;
    if (n4 * 4 + tid < n) mine += in[n4 * 4 + tid]; // the last n % 4 elements
    mine = block_sum(mine);

    __shared__ bool last;
    if (threadIdx.x == 0) {
        atomicExch(&left[blockIdx.x], mine); __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    mine = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += BLOCK) mine += *(volatile int *)&left[b];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *total = mine;
}

void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    unsigned needed = (n / 4 + BLOCK - 1) / BLOCK, enough = 8 * processors;
    if (enough > MOST_BLOCKS) enough = MOST_BLOCKS;
    if (needed < 1) needed = 1;
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
