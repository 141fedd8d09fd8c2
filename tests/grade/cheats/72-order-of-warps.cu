// lab: reduce-4-warp
// options: --seed 7
// expect: fail correct
// The words are volatile and nothing orders the warps: the last one is thought to have its turn when all others have had theirs.
const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ volatile int sum[BLOCK / 32];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    mine = __reduce_add_sync(0xffffffff, mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    if (tid == BLOCK - 32) {
        int all = 0;
        for (unsigned k = 0; k < BLOCK / 32; k++) all += sum[k];
        out[blockIdx.x] = all;
    }
}

void reduce(const int *in, int *out, int n) {
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    block_sums<<<blocks, BLOCK>>>(in, out, n);
}
