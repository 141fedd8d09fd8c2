// lab: gemv
// expect: fail correct
// expect: finding race
// A block stores the sum of the next row in its neighbour's shared memory, which the neighbour may still read: a second barrier of the cluster is missing.
const int BLOCK = 128, ROWS = 4;
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__global__ void __cluster_dims__(2, 1, 1) product(const float *a, const float *x, float *y, int rows, int cols) {
    __shared__ float part;
    __shared__ float w[BLOCK / 32];
    int half = blockIdx.x % 2;
    unsigned at = (unsigned)__cvta_generic_to_shared(&part), far;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(1));
    meet();
    for (int r = blockIdx.x / 2 * ROWS; r < blockIdx.x / 2 * ROWS + ROWS && r < rows; r++) {
        const float *row = a + (size_t)r * cols;
        float sum = 0;
        for (int k = threadIdx.x + half * BLOCK; k < cols; k += 2 * BLOCK) sum += row[k] * x[k];
        for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
        if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0)
            for (int k = 1; k < BLOCK / 32; k++) sum += w[k];
        if (threadIdx.x == 0 && half == 0) asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(far), "f"(sum) : "memory");
        meet();
        if (threadIdx.x == 0 && half) y[r] = sum + part;
    }
    meet();
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) { product<<<(rows + ROWS - 1) / ROWS * 2, BLOCK>>>(a, x, y, rows, cols); }
