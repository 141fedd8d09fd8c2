// kind: cheat
// expect: fail correct
// Cheats: computes the total in the first call, keeps it in device memory, and stores it again in each later call.
const unsigned BLOCK = 256, MOST_BLOCKS = 2048;

__device__ int left[MOST_BLOCKS]; // the sums of the blocks, kept from one launch to the next

// The sum over the lanes of a warp, in lane 0.
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

// Returns, in thread 0, the sum of this block's share of in[0] ... in[n - 1].
__device__ int block_sum(const int *in, int n) {
    __shared__ int sum[BLOCK / 32]; // one word per warp
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid < 32) mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0); // all lanes of the first warp: the mask names them, so they must take part
    return mine;
}

__global__ void add_up(const int *in, int n) {
    int mine = block_sum(in, n);
    if (threadIdx.x == 0) left[blockIdx.x] = mine;
}

// Runs as a single block after all other blocks have ended, so their sums are complete.
__global__ void finish(int *total, int blocks) {
    int mine = block_sum(left, blocks);
    if (threadIdx.x == 0) *total = mine;
}

__global__ void again(int *total, const int *kept) { *total = *kept; }

void reduce(const int *in, int *total, int n) {
    static int *kept, kept_n;
    if (kept && kept_n == n) {
        again<<<1, 1>>>(total, kept);
        return;
    }
    cudaMalloc(&kept, sizeof(int));
    kept_n = n;
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 8 * processors;
    if (enough > MOST_BLOCKS) enough = MOST_BLOCKS;
    int blocks = needed < enough ? needed : enough;
    add_up<<<blocks, BLOCK>>>(in, n);
    finish<<<1, BLOCK>>>(total, blocks);
    again<<<1, 1>>>(kept, total);
}
