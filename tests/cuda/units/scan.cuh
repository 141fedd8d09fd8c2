// As a library has it: a scan over a block of 64 threads, whose storage the caller gives. Nothing orders two scans.
__device__ __forceinline__ int block_scan(int v, int *storage) {
    for (int step = 1; step < 32; step *= 2) {
        int t = __shfl_up_sync(0xffffffffu, v, step);
        if (threadIdx.x % 32 >= step) v += t;
    }
    if (threadIdx.x % 32 == 31) storage[threadIdx.x / 32] = v;
    __syncthreads();
    return threadIdx.x >= 32 ? v + storage[0] : v;
}
