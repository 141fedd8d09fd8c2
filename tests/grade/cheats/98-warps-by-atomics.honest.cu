// lab: reduce-3-idle
// expect: pass
// Each warp adds up by shuffles, and one lane of it adds to the block's sum: an atomic for each warp.
__global__ void add(const int *in, int *out, int n) {
    __shared__ int sum;
    unsigned i = blockIdx.x * 512 + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int mine = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    if (threadIdx.x % 32 == 0) atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
void reduce(const int *in, int *out, int n) { add<<<(n + 511) / 512, 256>>>(in, out, n); }
