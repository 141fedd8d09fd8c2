// kind: slow
// expect: fail counter global_loads
// expect: met correct
// What the lab begins with.
const unsigned BLOCK = 256;

// The sum over the lanes of a warp, in lane 0.
__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK / 32]; // one word per warp
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid < 32) { // all lanes of the first warp: the mask names them, so they must take part
        mine = warp_sum(tid < BLOCK / 32 ? sum[tid] : 0);
        if (tid == 0) atomicAdd(total, mine);
    }
}

void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n + BLOCK - 1) / BLOCK, enough = 2 * processors;
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<needed < enough ? needed : enough, BLOCK>>>(in, total, n);
}
