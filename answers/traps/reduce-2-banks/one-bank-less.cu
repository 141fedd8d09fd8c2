// kind: slow
// expect: fail counter shared_load_passes
// expect: met correct
// Half the technique: only the last round is written out, and that one never had a conflict. In the others the pairs still start 2 * s
// apart.
const unsigned BLOCK = 256;

__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x / 2; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < blockDim.x) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) sum[0] += sum[blockDim.x / 2];
    if (tid == 0) out[blockIdx.x] = sum[0];
}

void reduce(const int *in, int *out, int n) {
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
