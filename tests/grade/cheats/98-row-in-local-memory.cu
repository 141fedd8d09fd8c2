// lab: dynamic-shared
// expect: fail counter
// expect: says local_accesses is
// The row lies in local memory, in an array of each thread, in place of shared memory.
const int BLOCK = 256;
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
    float mine[64];
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0, squares = 0;
    int n = 0;
#pragma unroll 1
    for (int c = threadIdx.x; c < cols; c += BLOCK) sum += mine[n++] = in[first + c];
    float mean = block_sum(sum, part) / cols;
#pragma unroll 1
    for (int k = 0; k < n; k++) squares += (mine[k] - mean) * (mine[k] - mean);
    float scale = rsqrtf(block_sum(squares, part) / cols + 1e-5f);
#pragma unroll 1
    for (int k = 0; k < n; k++) out[first + threadIdx.x + k * BLOCK] = (mine[k] - mean) * scale;
}
void layer_norm(const float *in, float *out, int rows, int cols) { normalise<<<rows, BLOCK>>>(in, out, cols); }
