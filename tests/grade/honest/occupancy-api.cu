// vector-add: the block size is what the occupancy calculator says
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    int blocks, threads;
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add);
    add<<<(n + threads - 1) / threads, threads>>>(a, b, c, n);
}
