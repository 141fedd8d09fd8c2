// lab: throughput
// expect: fail speedup
// Each warp waits at an mbarrier of its own, at which the warp before arrives: they compute one after another.
const int BLOCK = 1024;
__device__ unsigned place(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    __shared__ unsigned long long bar[32];
    int i = blockIdx.x * BLOCK + threadIdx.x, w = threadIdx.x / 32;
    if (threadIdx.x < 32)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&bar[threadIdx.x]))
                     : "memory");
    __syncthreads();
    if (w)
        asm volatile(
            "{.reg .pred p;\nL: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra L;}" ::"r"(
                place(&bar[w]))
            : "memory");
    if (i < n) {
        float h = start[i], r = step[i];
        int sum = 0;
        for (int c = 0; c < columns; c++) {
            sum += __float_as_int(h + 12582912.0f) - 0x4B400000;
            h += r;
        }
        out[i] = sum;
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0 && w < 31)
        asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(place(&bar[w + 1]))
                     : "memory");
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
