// The baseline of granularity: each block makes 128 outputs and loads a halo of 64 elements on both sides, so every element is loaded twice. Each
// output takes 129 additions, although neighbouring outputs share 128 of them.
const int BLOCK = 128, RADIUS = 64, EACH = 1; // outputs per thread
const int OUT = BLOCK * EACH, TILE = OUT + 2 * RADIUS;

// y[i] = the sum of x[i - RADIUS] ... x[i + RADIUS]. Elements outside of the array count as 0.
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
