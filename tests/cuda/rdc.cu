// Separate compilation: functions, variables, constants and pointers of another unit; names that both units have for themselves; templates of both;
// dynamic shared memory of one name.
// flags: -rdc=true tests/cuda/units/rdc_second.cu
// fast
// expect: 109 111 115 119
// expect: 5650 5550 6050 5850
// expect: shared_value 101, table 7
// expect: 15
#include "common.h"
#include "rdc.cuh"
__device__ static int mine = 3;
static __device__ int helper(int x) { return x + mine; }
__global__ void first(int *o) {
    extern __shared__ int room[];
    int t = threadIdx.x;
    room[t] = chosen(helper(t)) + shared_value;
    __syncthreads();
    o[t] = larger(room[t], t) + table[t] + (t ? 0 : 1);
}
__global__ void third(int *o) { *o = twice(4) + table[3]; }
int main() {
    int *d, h[4], v, t[4];
    CK(cudaMalloc(&d, 16));
    first<<<1, 4, 16>>>(d);
    CK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    run_second(d);
    CK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    CK(cudaMemcpyFromSymbol(&v, shared_value, 4)), CK(cudaMemcpyFromSymbol(t, table, 16));
    printf("shared_value %d, table %d\n", v, t[3]);
    third<<<1, 1>>>(d);
    CK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", h[0]);
    CK(cudaFree(d));
}
