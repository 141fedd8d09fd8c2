// kind: slow
// expect: fail counter shared_loads
// expect: met correct
// Half the technique: only the very last warp shuffles, the rest of the tree still goes through shared memory.
const unsigned BLOCK = 256;

__device__ void warp_sum(int *sum, unsigned lane, int mine) {
    mine += sum[lane + 32];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    if (lane == 0) sum[0] = mine;
}

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i]; // coalesced in every step
    sum[tid] = mine;
    __syncthreads();
    if (tid < 128) sum[tid] = mine += sum[tid + 128];
    __syncthreads();
    if (tid < 64) sum[tid] = mine += sum[tid + 64];
    __syncthreads();
    if (tid < 32) warp_sum(sum, tid, mine);
    if (tid == 0) atomicAdd(total, sum[0]);
}

void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 8 * processors;
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
