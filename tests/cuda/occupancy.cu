// Occupancy answers that hold on every device since Volta, and the suggested block size.
// expect: 0 threads cudaErrorInvalidValue
// expect: too many threads 0
// expect: too much shared memory 0
// expect: 48 KB leave at least one block: 1
// expect: suggested block size divides by 32: 1
// expect: shared memory for one block: 49152
#include "common.h"
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() {
    int n = -1, grid, block;
    size_t bytes;
    printf("0 threads %s\n", cudaGetErrorName(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 0, 0)));
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 2048, 0)), printf("too many threads %d\n", n);
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 1 << 20)), printf("too much shared memory %d\n", n);
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 48 << 10)), printf("48 KB leave at least one block: %d\n", n >= 1);
    CK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, k)), printf("suggested block size divides by 32: %d\n", block >= 32 && block % 32 == 0);
    CK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, k, 1, 256)), printf("shared memory for one block: %zu\n", bytes);
}
