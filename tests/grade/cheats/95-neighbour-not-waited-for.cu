// lab: gemv
// expect: fail correct
// expect: finding race
// A block reads the sum in its neighbour's shared memory, and the cluster's only barrier comes after that: nothing says that the sum is there.
const int BLOCK = 128;
__global__ void __cluster_dims__(2, 1, 1) product(const float *a, const float *x, float *y, int rows, int cols) {
    __shared__ unsigned part;
    __shared__ float w[BLOCK / 32];
    int r = blockIdx.x / 2, half = blockIdx.x % 2;
    half ^= 1; // the block that runs first has rank 0: it must not be the reader
    const float *row = a + (size_t)r * cols;
    float sum = 0;
    for (int k = threadIdx.x + half * BLOCK; k < cols; k += 2 * BLOCK) sum += row[k] * x[k];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK / 32; k++) sum += w[k];
        if (half) part = __float_as_uint(sum);
        else {
            unsigned u = 0, at = (unsigned)__cvta_generic_to_shared(&part), far, v;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(0));
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far)); u = v;
            y[r] = sum + __uint_as_float(u);
        }
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) { product<<<2 * rows, BLOCK>>>(a, x, y, rows, cols); }
