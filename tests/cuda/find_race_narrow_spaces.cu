// Accesses of fewer than 4 bytes race in every memory: shared, another block's shared, managed, and constant, where a memset in another stream writes.
// sim only
// arch: sm_90
// std: c++17
// expect: done
// finding: race
// stderr: of in_shared reads byte 3 of shared memory
// stderr: of far_byte reads
// stderr: of in_managed
// stderr: kernel reads_constant in stream 1 (reads, line 30) and a memset in stream 2 (writes) meet in the same bytes (from byte 7 of
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__constant__ unsigned char table[64];
__global__ void in_shared(int *out) {
    __shared__ unsigned char s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 32) *out = s[3];
}
__global__ void __cluster_dims__(2) far_byte(int *out) {
    __shared__ unsigned char s[64];
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = 0;
    c.sync();
    s[threadIdx.x] = threadIdx.x + 1;
    out[c.block_rank()] = *c.map_shared_rank(s + 5, c.block_rank() ^ 1);
    c.sync();
}
__global__ void in_managed(unsigned char *q) { if (!threadIdx.x) q[blockIdx.x / 2] += 1; }
__global__ void reads_constant(int *out) { *out = table[7]; }
int main() {
    int *out;
    unsigned char *managed, *constant;
    cudaStream_t a, b;
    CK(cudaMalloc(&out, 64)), CK(cudaMallocManaged(&managed, 64));
    CK(cudaMemset(managed, 0, 64));
    CK(cudaGetSymbolAddress((void **)&constant, table));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CK(cudaDeviceSynchronize());
    in_shared<<<1, 64>>>(out), far_byte<<<2, 32>>>(out), in_managed<<<4, 32>>>(managed);
    CK(cudaDeviceSynchronize());
    reads_constant<<<1, 1, 0, a>>>(out);
    CK(cudaMemsetAsync(constant + 7, 3, 1, b));
    CK(cudaMemsetAsync(constant + 8, 3, 1, b)); // not the byte that is read
    CK(cudaDeviceSynchronize());
    puts("done");
}
