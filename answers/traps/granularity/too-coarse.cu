// kind: slow
// on: sim:h200
// expect: fail speedup
// expect: met counter all_loads
// expect: met correct
// Merges too much: 257 outputs per thread leave fewer blocks than the device has multiprocessors.
const int BLOCK = 32, RADIUS = 64, EACH = 257;
const int OUT = BLOCK * EACH, TILE = OUT + 2 * RADIUS;

// y[i] is the sum of x[i - RADIUS] ... x[i + RADIUS]. Elements outside of the array count as 0.
__global__ void window(const int *x, int *y, int n) {
    __shared__ int tile[TILE];
    int first = blockIdx.x * OUT - RADIUS;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    // Add up the first window. Each further window differs from the previous one in two elements.
    int at = threadIdx.x * EACH, sum[EACH] = {};
    for (int d = 0; d <= 2 * RADIUS; d++) sum[0] += tile[at + d];
#pragma unroll
    for (int j = 1; j < EACH; j++) sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1];
    __syncthreads();
    // The outputs go through the tile, so that the stores coalesce.
#pragma unroll
    for (int j = 0; j < EACH; j++) tile[at + j] = sum[j];
    __syncthreads();
    for (int j = threadIdx.x; j < OUT; j += BLOCK)
        if (blockIdx.x * OUT + j < n) y[blockIdx.x * OUT + j] = tile[j];
}

void granularity(const int *x, int *y, int n) { window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n); }
