// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// Many elements per thread, but each thread walks through a piece of its own: nothing coalesces any more.
const unsigned BLOCK = 256;

__device__ void warp_sum(int *sum, unsigned lane, int mine) {
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x;
    int mine = 0;
    unsigned each = (n + BLOCK * gridDim.x - 1) / (BLOCK * gridDim.x), i = (blockIdx.x * BLOCK + tid) * each;
    for (unsigned k = 0; k < each && i < n; k++, i++) mine += ((volatile const int *)in)[i];
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
