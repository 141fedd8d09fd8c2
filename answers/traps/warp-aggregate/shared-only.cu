// kind: slow
// expect: fail counter shared_updates
// expect: met correct
// Moves the contention: the same atomics, one per hit, on one word of shared memory.
const int BLOCK = 256;

__global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    __shared__ int here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    if (i < n && in[i] < limit) atomicAdd_block(&here, 1);
    __syncthreads();
    if (threadIdx.x == 0 && here) atomicAdd(found, here);
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, found, n);
}
