// lab: reduce-4-warp
// expect: fail counter
// As 105-few-threads-all-barriers, and three quarters of each block's threads return at once, so that the launch looks as before.
const unsigned BLOCK = 256, WORK = 64;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[WORK];
    unsigned tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    if (tid >= WORK) return;
    int mine = 0;
    for (int k = 0; k < 8; k++) mine += i + k * WORK < n ? in[i + k * WORK] : 0;
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = WORK / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 511) / 512, BLOCK>>>(in, out, n); }
