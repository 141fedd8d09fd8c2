// CUB's scan over a block: its storage used again behind a barrier is right; without one that is told with the caller's line.
// std: c++17
// sim only
// expect: 0 wrong
// finding: race
// stderr: of scans<false>
// stderr: find_cub.cu:17: both in what that line calls (
// stderr: the storage is used again: a __syncthreads() is missing between the two uses
#include "common.h"
#include <cub/block/block_scan.cuh>
enum { N = 128 };
template <bool sync> __global__ void scans(int *o) {
    typedef cub::BlockScan<int, N, cub::BLOCK_SCAN_WARP_SCANS> S;
    __shared__ typename S::TempStorage t;
    int v = 1;
    for (int i = 0; i < 2; i++) {
        S(t).InclusiveSum(v, v);
        if (sync) __syncthreads();
    }
    o[threadIdx.x] = v;
}
int main() {
    int *o, h[N], bad = 0;
    CK(cudaMalloc(&o, sizeof h));
    scans<true><<<1, N>>>(o);
    CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) bad += h[i] != (i + 1) * (i + 2) / 2;
    printf("%d wrong\n", bad);
    scans<false><<<1, N>>>(o);
    CK(cudaDeviceSynchronize());
}
