// lab: bug-hunt
// answer lucky: scale
// answer race: 8
// expect: fail correct
// expect: finding race
// The launch in the wrong stream is still there; exchanges and volatile loads hide it.

const int BLOCK = 256, CHUNK = 4 * BLOCK, BLOCKS = 8;

__global__ void scale(const int *a, int *scaled, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    // The off-by-one: with i > n, thread n would also write.
    if (i >= n) return;
    scaled[i] = 3 * a[i];
}

__global__ void turn(const int *a, int *turned, int n) {
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    for (int from = blockIdx.x * CHUNK; from < (blockIdx.x + 1) * CHUNK && from < n; from += BLOCK) {
        int len = min(BLOCK, n - from);
        // Every thread of the block reaches both barriers, whether it has an element or not.
        if (t < len) part[t] = a[from + t];
        __syncthreads();
        if (t < len) turned[from + t] = part[len - 1 - t];
        __syncthreads();
    }
}

__global__ void count(const int *a, int *positives, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    // The race: reading, adding and writing are now one operation.
    if (a[i] > 0) atomicAdd(positives, 1);
}

__global__ void sum_blocks(const int *a, int *sums, int n) {
    __shared__ int part[BLOCK];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += BLOCKS * BLOCK) sum += a[i];
    part[t] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        // The missing barrier: each round reads what other threads wrote in the round before.
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) atomicExch(&sums[blockIdx.x], part[0]);
}

__global__ void sum_all(const int *sums, int *total) {
    int sum = 0;
    for (int b = 0; b < BLOCKS; b++) sum += ((volatile const int *)sums)[b];
    *total = sum;
}

void bug_hunt(const int *a, int *scaled, int *turned, int *positives, int *sums, int *total, int n) {
    cudaStream_t stream, last;
    cudaStreamCreate(&stream); cudaStreamCreate(&last);
    scale<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(a, scaled, n);
    turn<<<(n + CHUNK - 1) / CHUNK, BLOCK, 0, stream>>>(a, turned, n);
    cudaMemsetAsync(positives, 0, sizeof(int), stream);
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(a, positives, n);
    sum_blocks<<<BLOCKS, BLOCK, 0, stream>>>(a, sums, n);
    // In the same stream, sum_all runs after sum_blocks, and the host need not wait between them.
    sum_all<<<1, 1, 0, last>>>(sums, total);
    cudaStreamSynchronize(stream); cudaStreamSynchronize(last);
    cudaStreamDestroy(stream);
}
