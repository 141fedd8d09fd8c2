const int BLOCK = 256;

__global__ void count(const int *a, int *positives, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    int v = a[i];
    if (v > 0)
        positives[0] = positives[0] + 1;
}

void bug_hunt_count(const int *a, int *positives, int n) {
    cudaMemset(positives, 0, sizeof(int));
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, positives, n);
}
