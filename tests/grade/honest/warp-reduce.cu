// reduce-6-cascade: the sum of a warp by one instruction, redux
__global__ void add_up(const int *in, int *total, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    mine = __reduce_add_sync(0xffffffff, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

void reduce(const int *in, int *total, int n) {
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<256, 256>>>(in, total, n);
}
