// kind: wrong
// expect: fail correct
// Half as many threads, but each still loads one element: every other block of 256 is missing.
const unsigned BLOCK = 256; // threads

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, BLOCK>>>(in, out, n);
}
