// lab: reduce-7-shuffle
// expect: fail counter
// expect: says shuffles is
// No warp adds up anything: every thread leaves its sum in global memory, and the second launch is a single block with a tree.
const unsigned BLOCK = 256;
__device__ int left[4 * 132 * BLOCK];
__global__ void add_up(const int *in, int n) {
    int mine = 0;
    unsigned t = blockIdx.x * BLOCK + threadIdx.x;
    for (unsigned i = t; i < n; i += BLOCK * gridDim.x) mine += in[i];
    left[t] = mine;
}
__global__ void finish(int *total, int m) {
    __shared__ int sum[1024];
    int mine = 0;
    for (int i = threadIdx.x; i < m; i += 1024) mine += left[i];
    sum[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 1024; i++) mine += sum[i];
        *total = mine;
    }
}
void reduce(const int *in, int *total, int n) {
    add_up<<<4 * 132, BLOCK>>>(in, n);
    finish<<<1, 1024>>>(total, 4 * 132 * BLOCK);
}
