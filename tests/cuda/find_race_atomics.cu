// Atomics of two streams that do not commute: the order in which the kernels run is in the result.
// sim only
// expect: done
// finding: race
// stderr: kernel clear_exch in stream 1 (writes, line 18) and kernel add in stream 2 (writes, line 22)
// stderr: kernel clear_and in stream 1 (writes, line 19) and kernel add in stream 2 (writes, line 22)
// stderr: kernel clear_min in stream 1 (writes, line 20) and kernel add in stream 2 (writes, line 22)
// stderr: kernel clear_volatile in stream 1 (writes, line 21) and kernel add in stream 2 (writes, line 22)
// stderr: kernel clear_exch in stream 1 (writes, line 18) and kernel add_by_cas in stream 2 (writes, line 27)
// stderr: kernel add in stream 1 (writes, line 22) and kernel inc in stream 2 (writes, line 30)
// stderr: kernel smallest in stream 1 (writes, line 31) and kernel largest in stream 2 (writes, line 32)
// stderr: kernel add_some in stream 1 (writes, line 33) and kernel clear_exch in stream 2 (writes, line 18)
// stderr: kernel half_add in stream 1 (writes, line 34) and kernel half_clear in stream 2 (writes, line 35)
// stderr: kernel both in stream 1 (writes, line 38) and kernel both in stream 2 (writes, line 38)
#include "common.h"
#include <cuda_fp16.h>

__global__ void clear_exch(int *q) { atomicExch(q, 0); }
__global__ void clear_and(int *q) { atomicAnd(q, 0); }
__global__ void clear_min(int *q) { atomicMin(q, 0); }
__global__ void clear_volatile(int *q) { *(volatile int *)q = 0; }
__global__ void add(int *q) { atomicAdd(q, 3); }
__global__ void add_by_cas(int *q) {
    int seen = 0, old;
    for (;; seen = old)
        // looks with nothing but the compare and exchange
        if ((old = atomicCAS(q, seen, seen + 3)) == seen) break;
}

__global__ void inc(int *q) { atomicInc((unsigned *)q, 100); }
__global__ void smallest(int *q) { atomicMin(q, 4); }
__global__ void largest(int *q) { atomicMax(q, 4); }
__global__ void add_some(int *q, int n) { if (n) atomicAdd(q, n); }
__global__ void half_add(__half *q) { atomicAdd(q, __float2half(3)); }
__global__ void half_clear(__half *q) { atomicExch((int *)q, 0); }
__global__ void both(int *q) {
    atomicExch(q, 0);
    atomicAdd(q, 3);
}
int main() {
    enum { PARTS = 16 };
    int *x, *part[PARTS];
    cudaStream_t a, b;
    CK(cudaMalloc(&x, PARTS * 256)), CK(cudaMemset(x, 0, PARTS * 256)), CK(cudaDeviceSynchronize());
    for (int i = 0; i < PARTS; i++) part[i] = x + 64 * i;
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    clear_exch<<<1, 1, 0, a>>>(part[0]), add<<<1, 1, 0, b>>>(part[0]);
    clear_and<<<1, 1, 0, a>>>(part[1]), add<<<1, 1, 0, b>>>(part[1]);
    clear_min<<<1, 1, 0, a>>>(part[2]), add<<<1, 1, 0, b>>>(part[2]);
    clear_volatile<<<1, 1, 0, a>>>(part[3]), add<<<1, 1, 0, b>>>(part[3]);
    clear_exch<<<1, 1, 0, a>>>(part[4]), add_by_cas<<<1, 1, 0, b>>>(part[4]);
    add<<<1, 1, 0, a>>>(part[5]), inc<<<1, 1, 0, b>>>(part[5]);
    smallest<<<1, 1, 0, a>>>(part[6]), largest<<<1, 1, 0, b>>>(part[6]);
    add_some<<<1, 1, 0, a>>>(part[7], 2), clear_exch<<<1, 1, 0, b>>>(part[7]);
    half_add<<<1, 1, 0, a>>>((__half *)part[8] + 1), half_clear<<<1, 1, 0, b>>>((__half *)part[8]);
    both<<<1, 1, 0, a>>>(part[9]), both<<<1, 1, 0, b>>>(part[9]);
    CK(cudaDeviceSynchronize());
    puts("done");
}
