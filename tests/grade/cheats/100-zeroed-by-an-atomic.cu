// lab: reduce-6-cascade
// expect: fail correct
// expect: finding race
// An atomic exchange in one stream sets the total to zero, atomics in another add it up, and nothing orders the two.
const unsigned BLOCK = 256;

__global__ void zero(int *total) { atomicExch(total, 0); }

__global__ void add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK / 32];
    unsigned tid = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid < 32) {
        mine = tid < BLOCK / 32 ? sum[tid] : 0;
        for (int s = 4; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
        if (tid == 0) atomicAdd(total, mine);
    }
}

void reduce(const int *in, int *total, int n) {
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    int needed = (n + BLOCK - 1) / BLOCK;
    zero<<<1, 1, 0, a>>>(total);
    add_up<<<needed < 1056 ? needed : 1056, BLOCK, 0, b>>>(in, total, n);
    cudaStreamSynchronize(a);
    cudaStreamSynchronize(b);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
