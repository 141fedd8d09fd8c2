// lab: reduce-6-cascade
// expect: pass
// An atomic exchange sets the total to zero before two streams go on, each with half of the sum: additions commute.
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
    cudaEvent_t zeroed;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&zeroed, cudaEventDisableTiming);
    int first = n / 2 / BLOCK * BLOCK, rest = n - first;
    int blocks[] = {(first + (int)BLOCK - 1) / (int)BLOCK, (rest + (int)BLOCK - 1) / (int)BLOCK};
    zero<<<1, 1, 0, a>>>(total);
    cudaEventRecord(zeroed, a);
    cudaStreamWaitEvent(b, zeroed);
    if (first) add_up<<<blocks[0] < 528 ? blocks[0] : 528, BLOCK, 0, a>>>(in, total, first);
    add_up<<<blocks[1] < 528 ? blocks[1] : 528, BLOCK, 0, b>>>(in + first, total, rest);
    cudaStreamSynchronize(a);
    cudaStreamSynchronize(b);
    cudaEventDestroy(zeroed);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
