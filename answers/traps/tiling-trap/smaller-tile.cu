// kind: slow
// expect: fail counter all_load_bytes
// expect: met correct
// Half the way: the tile no longer limits the blocks, but each element still goes through shared memory.
const int BLOCK = 256, TILE = 256;

// y[i] = 2 * x[i] + 1, where each element goes through shared memory.
__global__ void update(const float *x, float *y, int n) {
    __shared__ float tile[TILE];
    for (int base = blockIdx.x * TILE; base < n; base += gridDim.x * TILE) {
        int count = min(TILE, n - base);
        for (int k = threadIdx.x; k < count; k += BLOCK) tile[k] = x[base + k];
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += BLOCK) y[base + k] = 2 * tile[k] + 1;
        __syncthreads();
    }
}

void tiling_trap(const float *x, float *y, int n) { update<<<(n + TILE - 1) / TILE, BLOCK>>>(x, y, n); }
