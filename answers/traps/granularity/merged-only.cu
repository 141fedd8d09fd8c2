// kind: slow
// expect: fail counter all_loads
// expect: met counter global_loads
// expect: missed speedup
// expect: met correct
// Half the technique: blocks are merged, so the halo is loaded less often, but each output is still summed up from scratch.
const int BLOCK = 128, RADIUS = 64, EACH = 8; // outputs per thread
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
    for (int j = threadIdx.x; j < OUT; j += BLOCK) {
        int sum = 0;
        for (int d = 0; d <= 2 * RADIUS; d++) sum += tile[j + d];
        if (blockIdx.x * OUT + j < n) y[blockIdx.x * OUT + j] = sum;
    }
}

void granularity(const int *x, int *y, int n) { window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n); }
