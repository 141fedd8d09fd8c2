// kind: ragged
// expect: fail correct
// No thread processes the ragged end.
__device__ void warp_sum(int *sum, unsigned lane, int mine) {
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += sum[lane + s];
        __syncwarp();
        sum[lane] = mine;
        __syncwarp();
    }
}

template <unsigned BLOCK>
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * BLOCK) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + BLOCK < n) mine += in[i + BLOCK];
    sum[tid] = mine;
    __syncthreads();
    // The compiler knows BLOCK, so it keeps only those of the next lines whose condition is true.
    if (BLOCK >= 1024) { if (tid < 512) sum[tid] = mine += sum[tid + 512]; __syncthreads(); }
    if (BLOCK >= 512) { if (tid < 256) sum[tid] = mine += sum[tid + 256]; __syncthreads(); }
    if (BLOCK >= 256) { if (tid < 128) sum[tid] = mine += sum[tid + 128]; __syncthreads(); }
    if (BLOCK >= 128) { if (tid < 64) sum[tid] = mine += sum[tid + 64]; __syncthreads(); }
    if (tid < 32) warp_sum(sum, tid, mine);
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    int blocks = n < 512 ? 1 : n / 512;
    block_sums<256><<<blocks, 256>>>(in, out, n);
}
