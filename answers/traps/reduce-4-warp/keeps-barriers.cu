// kind: slow
// expect: fail counter block_barriers
// expect: met correct
// Half the technique: unrolled by hand, but with a barrier for the whole block after every step.
const unsigned BLOCK = 256; // threads

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    if (tid < 128) sum[tid] += sum[tid + 128];
    __syncthreads();
    if (tid < 64) sum[tid] += sum[tid + 64];
    __syncthreads();
    if (tid < 32) sum[tid] += sum[tid + 32];
    __syncthreads();
    if (tid < 16) sum[tid] += sum[tid + 16];
    __syncthreads();
    if (tid < 8) sum[tid] += sum[tid + 8];
    __syncthreads();
    if (tid < 4) sum[tid] += sum[tid + 4];
    __syncthreads();
    if (tid < 2) sum[tid] += sum[tid + 2];
    __syncthreads();
    if (tid < 1) sum[tid] += sum[tid + 1];
    __syncthreads();
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, BLOCK>>>(in, out, n);
}
