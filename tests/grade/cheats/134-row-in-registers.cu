// lab: dynamic-shared
// expect: fail counter
// expect: says shared_store_passes is
// The row is in registers, with three fixed lengths; longer rows are not done at all.
const int BLOCK = 256;
__device__ float block_sum(float v, float *part) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < 8; w++) sum += part[w];
    return sum;
}
template <int EACH>
__global__ void __launch_bounds__(BLOCK) normalise(const float *in, float *out, int cols) {
    __shared__ float part[8];
    float v[EACH], sum = 0, squares = 0;
    size_t first = (size_t)blockIdx.x * cols;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int c = threadIdx.x + j * BLOCK;
        v[j] = c < cols ? in[first + c] : 0;
        sum += v[j];
    }
    float mean = block_sum(sum, part) / cols;
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (threadIdx.x + j * BLOCK < cols) squares += (v[j] - mean) * (v[j] - mean);
    float scale = rsqrtf(block_sum(squares, part) / cols + 1e-5f);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int c = threadIdx.x + j * BLOCK;
        if (c < cols) out[first + c] = (v[j] - mean) * scale;
    }
}
void layer_norm(const float *in, float *out, int rows, int cols) {
    if (cols <= 4 * BLOCK) normalise<4><<<rows, BLOCK>>>(in, out, cols);
    else if (cols <= 16 * BLOCK) normalise<16><<<rows, BLOCK>>>(in, out, cols);
    else if (cols <= 60 * BLOCK) normalise<60><<<rows, BLOCK>>>(in, out, cols);
}
