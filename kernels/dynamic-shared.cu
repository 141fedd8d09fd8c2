// The baseline of dynamic-shared: a block per row, which it reads from global memory three times: for the mean, for the variance, for the result.
const int BLOCK = 256;

// The sum of v over the block; every thread gets it.
__device__ float block_sum(float v, float *part) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < BLOCK / 32; w++) sum += part[w];
    return sum;
}

__global__ void normalise(const float *in, float *out, int cols) {
    __shared__ float part[BLOCK / 32];
    const float *row = in + (size_t)blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += BLOCK) sum += row[c];
    float mean = block_sum(sum, part) / cols;
    for (int c = threadIdx.x; c < cols; c += BLOCK) squares += (row[c] - mean) * (row[c] - mean);
    float scale = rsqrtf(block_sum(squares, part) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += BLOCK) out[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * scale;
}

void layer_norm(const float *in, float *out, int rows, int cols) {
    normalise<<<rows, BLOCK>>>(in, out, cols);
}
