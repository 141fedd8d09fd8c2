// kind: slow
// expect: fail counter global_store_sectors
// expect: met correct
// expect: met counter global_load_sectors
// Half the technique: loads come in side by side through shared memory, and
// then every thread stores its old chunk.
const int PER_THREAD = 16, BLOCK = 128, TILE = BLOCK * PER_THREAD;
__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    __shared__ float tile[TILE];
    int base = blockIdx.x * TILE;
    for (int k = threadIdx.x; k < TILE; k += BLOCK)
        if (base + k < n) tile[k] = a * x[base + k];
    __syncthreads();
    for (int k = 0; k < PER_THREAD; k++) {
        int j = threadIdx.x * PER_THREAD + k;
        if (base + j < n) y[base + j] = tile[j];
    }
}
void scale(const float *x, float *y, float a, int n) { scale_kernel<<<(n + TILE - 1) / TILE, BLOCK>>>(x, y, a, n); }
