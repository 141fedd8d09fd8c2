// lab: reduce-7-shuffle
// expect: finding race
// The blocks' sums are in page-locked memory, and nothing orders the second stream behind the first.
const unsigned BLOCK = 256;
__device__ int warp_sum(int m) { for (int s = 16; s > 0; s /= 2) m += __shfl_down_sync(~0u, m, s); return m; }
__device__ int block_sum(int m) {
    __shared__ int s[8]; m = warp_sum(m);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < 8 ? s[threadIdx.x] : 0) : 0;
}
__global__ void add_up(const int *in, int *left, int n) {
    int m = 0; for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) m += in[i];
    m = block_sum(m); if (threadIdx.x == 0) left[blockIdx.x] = m;
}
__global__ void rest(const int *left, int blocks, int *total) {
    int m = 0; for (int b = threadIdx.x; b < blocks; b += BLOCK) m += left[b];
    m = block_sum(m); if (threadIdx.x == 0) *total = m;
}
void reduce(const int *in, int *total, int n) {
    int need = (n + BLOCK - 1) / BLOCK, blocks = need < 1056 ? need : 1056; int *left; cudaStream_t a, b;
    cudaMallocHost(&left, blocks * sizeof(int)); cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    add_up<<<blocks, BLOCK, 0, a>>>(in, left, n);
    rest<<<1, BLOCK, 0, b>>>(left, blocks, total);
    cudaStreamSynchronize(a); cudaStreamSynchronize(b); cudaStreamDestroy(a); cudaStreamDestroy(b); cudaFreeHost(left);
}
