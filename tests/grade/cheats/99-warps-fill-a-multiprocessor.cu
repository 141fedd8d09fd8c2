// lab: dynamic-shared
// expect: fail counter
// expect: says occupancy_pct is
// A block of 1024 threads, of which the first warp works: the multiprocessor is full of warps that do nothing.
__global__ void normalise(const float *in, float *out, int cols) {
    extern __shared__ float row[];
    if (threadIdx.x >= 32) return;
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += 32) sum += row[c] = in[first + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    float mean = sum / cols;
    for (int c = threadIdx.x; c < cols; c += 32) squares += (row[c] - mean) * (row[c] - mean);
    for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(~0u, squares, d);
    float scale = rsqrtf(squares / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += 32) out[first + c] = (row[c] - mean) * scale;
}
void layer_norm(const float *in, float *out, int rows, int cols) {
    cudaFuncSetAttribute(normalise, cudaFuncAttributeMaxDynamicSharedMemorySize, cols * 4);
    normalise<<<rows, 1024, cols * sizeof(float)>>>(in, out, cols);
}
