// lab: gemv
// expect: pass
// A block stores its sum in its neighbour's shared memory and then, behind a fence, a flag. The neighbour has a fence between the flag and the sum.
const int BLOCK = 128;
__global__ void __cluster_dims__(2, 1, 1) product(const float *a, const float *x, float *y, int rows, int cols) {
    __shared__ float part;
    __shared__ int flag;
    __shared__ float w[BLOCK / 32];
    int r = blockIdx.x / 2, half = blockIdx.x % 2;
    const float *row = a + (size_t)r * cols;
    float sum = 0;
    if (threadIdx.x == 0) flag = 0, part = 0;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    for (int k = threadIdx.x + half * BLOCK; k < cols; k += 2 * BLOCK) sum += row[k] * x[k];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK / 32; k++) sum += w[k];
        unsigned at = (unsigned)__cvta_generic_to_shared(&part), to = (unsigned)__cvta_generic_to_shared(&flag), far;
        if (half == 0) {
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(1));
            asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(far), "f"(sum) : "memory");
            __threadfence();
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(to), "r"(1));
            asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" :: "r"(far), "r"(1) : "memory");
        } else {
            while (!*(volatile int *)&flag) {}
            __threadfence();
            y[r] = sum + part;
        }
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) { product<<<2 * rows, BLOCK>>>(a, x, y, rows, cols); }
