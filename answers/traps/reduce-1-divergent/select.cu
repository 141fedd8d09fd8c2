// kind: cheat
// expect: fail counter shared_loads
// expect: met correct
// Cheats on the counter: with a select in place of the branch nothing
// diverges, but every warp still works in every round.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        int mine = sum[tid], other = sum[(tid + s) % BLOCK];
        __syncthreads();
        sum[tid] = mine + ((tid & (2 * s - 1)) == 0 ? other : 0);
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
