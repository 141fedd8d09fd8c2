// kind: ragged
// expect: fail correct
// Gives each thread n / threads elements: no thread adds the remainder.
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
    unsigned each = n / (BLOCK * gridDim.x), i = blockIdx.x * BLOCK + tid;
    for (unsigned k = 0; k < each; k++, i += BLOCK * gridDim.x) mine += in[i];
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
