// What a race is told to need: a fence where blocks share an atomic, a second launch or an atomic where they do not, a
// barrier between two uses of a library's storage. An index that hits freed memory may be wrong.
// sim only
// expect: done
// finding: race
// finding: use-after-free
// stderr: of last<false> reads byte
// stderr: an atomic that both blocks use orders nothing by itself: a __threadfence() is missing between the write and the atomic, and one behind it where it is read
// stderr: of apart writes byte 0 of the 4-byte allocation
// stderr: nothing orders two blocks within a launch; use an atomic, or a second launch
// stderr: find_remedies.cu:32: both in what that line calls (scan.cuh:7, scan.cuh:9); the storage is used again: a __syncthreads() is missing between the two uses
// stderr: of far writes memory that was freed: byte 0 of the 256-byte allocation at
// stderr: ; or an index is wrong: 256 bytes past the end of the 256-byte allocation at
#include "common.h"
#include "units/scan.cuh"
template <bool fence> __global__ void last(int *part, unsigned *count, int *o) {
    __shared__ bool is;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        if (fence) __threadfence();
        is = atomicAdd(count, 1) == gridDim.x - 1;
        if (fence) __threadfence();
        if (is) o[0] = part[0] + part[gridDim.x - 1];
    }
}
__global__ void apart(int *o) { o[0] = blockIdx.x; }
template <bool sync> __global__ void scans(int *o) {
    __shared__ int storage[2];
    int v = 1;
    for (int round = 0; round < 3; round++) {
        if (sync) __syncthreads();
        v = block_scan(v, storage);
    }
    o[threadIdx.x] = v;
}
__global__ void far(int *o, int by) { o[by] = 1; }
int main() {
    int *o, *one, *gone, *part;
    unsigned *count;
    CK(cudaMalloc(&o, 256)), CK(cudaMalloc(&gone, 256)), CK(cudaMalloc(&one, 4));
    CK(cudaMalloc(&part, 256)), CK(cudaMalloc(&count, 4)), CK(cudaMemset(count, 0, 4));
    last<true><<<4, 32>>>(part, count, o), CK(cudaMemset(count, 0, 4)), CK(cudaMemset(part, 0, 256));
    last<false><<<4, 32>>>(part, count, o);
    apart<<<2, 1>>>(one), scans<true><<<1, 64>>>(o), scans<false><<<1, 64>>>(o);
    CK(cudaDeviceSynchronize()), CK(cudaFree(gone));
    far<<<1, 1>>>(o, int(gone - o));
    cudaDeviceSynchronize();
    puts("done");
}
