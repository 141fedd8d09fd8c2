// kind: slow
// expect: fail counter block_barriers
// expect: met correct
// What the lab begins with: all 512 threads are still there, to load one element each.
const unsigned BLOCK = 256; // threads

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[2 * BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, 2 * BLOCK>>>(in, out, n);
}
