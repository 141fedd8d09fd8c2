// The other unit of rdc.cu.
#include "../rdc.cuh"
__device__ int shared_value = 100;
__constant__ int table[4] = {2, 3, 5, 7};
__device__ static int mine = 50;
static __device__ int helper(int x) { return x * mine; }
__device__ int twice(int x) { return 2 * x; }
__device__ int (*chosen)(int) = twice;
__global__ void second(int *o) {
    extern __shared__ int room[];
    room[threadIdx.x] = helper(o[threadIdx.x]) + shared_value;
    __syncthreads();
    o[threadIdx.x] = larger(room[threadIdx.x ^ 1], 0);
    if (!threadIdx.x) atomicAdd(&shared_value, 1);
}
void run_second(int *d) { second<<<1, 4, 16>>>(d); }
