// kind: cheat
// expect: fail correct
// Cheats: computes once for each size and later copies the kept answer, whatever the inputs are.
const unsigned BLOCK = 256; // threads

// The 32 lanes of one warp add sum[0] ... sum[63]. Each step keeps its result in a register. One __syncwarp() separates the reads of a
// step from its writes, and another one separates these writes from the reads of the next step.
__device__ void warp_sum(int *sum, unsigned lane) {
    int mine = sum[lane];
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid < 32) warp_sum(sum, tid);
    if (tid == 0) out[blockIdx.x] = sum[0];
}

static int *kept, kept_n;
void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    if (n == kept_n) {
        cudaMemcpyAsync(out, kept, blocks * sizeof(int), cudaMemcpyDeviceToDevice);
        return;
    }
    block_sums<<<blocks, BLOCK>>>(in, out, n);
    cudaMalloc(&kept, blocks * sizeof(int));
    cudaMemcpyAsync(kept, out, blocks * sizeof(int), cudaMemcpyDeviceToDevice);
    kept_n = n;
}
