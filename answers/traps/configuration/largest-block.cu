// kind: slow
// expect: fail counter threads_per_block
// expect: met correct
// What cudaOccupancyMaxPotentialBlockSize suggests: the largest block.
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    int grid, threads;
    cudaOccupancyMaxPotentialBlockSize(&grid, &threads, walk, 0, 0);
    walk<<<grid, threads>>>(next, out, steps, n);
}
