// reduce-6-cascade: two launches: sums of blocks, then one block over them, dynamic shared memory
__global__ void add_up(const int *in, int *out, int n) {
    extern __shared__ int sum[];
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    sum[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s; s /= 2) {
        if (threadIdx.x < s) sum[threadIdx.x] += sum[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *total, int n) {
    int *part;
    cudaMalloc(&part, 128 * sizeof(int));
    add_up<<<128, 256, 256 * sizeof(int)>>>(in, part, n);
    add_up<<<1, 128, 128 * sizeof(int)>>>(part, total, 128);
    cudaFree(part);
}
