// lab: dynamic-shared
// expect: fail counter
// expect: says local_accesses
// Each thread keeps its part of the row in 30 variables, for which its 32 registers do not suffice: they lie in local memory.
const int BLOCK = 512, PART = 30;

__device__ float total(float v, float *of_warp) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    v = of_warp[threadIdx.x % (BLOCK / 32)];
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__global__ void __launch_bounds__(BLOCK, 4) normalise(const float *in, float *out, int cols) {
    __shared__ float of_warp[BLOCK / 32];
    const float *row = in + (size_t)blockIdx.x * cols;
    float part[PART], sum = 0, squares = 0;
#pragma unroll
    for (int k = 0; k < PART; k++) {
        int c = k * BLOCK + threadIdx.x;
        part[k] = c < cols ? row[c] : 0;
        sum += part[k];
    }
    float mean = total(sum, of_warp) / cols;
#pragma unroll
    for (int k = 0; k < PART; k++)
        if (k * BLOCK + threadIdx.x < cols) squares += (part[k] - mean) * (part[k] - mean);
    float scale = rsqrtf(total(squares, of_warp) / cols + 1e-5f);
#pragma unroll
    for (int k = 0; k < PART; k++)
        if (k * BLOCK + threadIdx.x < cols) out[(size_t)blockIdx.x * cols + k * BLOCK + threadIdx.x] = (part[k] - mean) * scale;
}

void layer_norm(const float *in, float *out, int rows, int cols) { normalise<<<rows, BLOCK>>>(in, out, cols); }
