// lab: reduce-4-warp
// expect: fail counter
// expect: says its threads are 4 times fewer
// A quarter of the threads add eight elements each, and every round of the tree still has a barrier for the whole block.
const unsigned BLOCK = 64;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    int mine = 0;
    for (int k = 0; k < 8; k++) mine += i + k * BLOCK < n ? in[i + k * BLOCK] : 0;
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 511) / 512, BLOCK>>>(in, out, n); }
