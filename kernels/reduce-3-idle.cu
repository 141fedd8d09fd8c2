// The baseline of reduce-3-idle: sequential addressing, one thread per element, and 512 threads per block. Half of the threads only load
// an element and never add anything.
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
