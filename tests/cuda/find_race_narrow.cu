// Accesses of fewer than 4 bytes within a launch: two threads in one byte, or one of them in a word around it.
// sim only
// expect: done
// finding: race
// stderr: of byte_add
// stderr: of half_after_word
// stderr: of pair_over_byte writes byte 9
// stderr: of neighbour reads byte 129
// stderr: of fields
// stderr: of atomic_half
#include "common.h"
struct two { unsigned char low : 3, high : 5; };
__global__ void byte_add(unsigned char *q) { if (!threadIdx.x) q[0] += 1; }
__global__ void half_after_word(unsigned *q, unsigned short *h, int *out) {
    if (!threadIdx.x && !blockIdx.x) q[1] = 7;
    if (!threadIdx.x && blockIdx.x) *out = h[2];
}
__global__ void pair_over_byte(unsigned char *q) {
    if (!threadIdx.x && !blockIdx.x) q[9] = 7;
    if (!threadIdx.x && blockIdx.x) *(uchar2 *)(q + 8) = make_uchar2(0, 5);
}
__global__ void neighbour(unsigned char *q, int *out) {
    q[128 + threadIdx.x] = threadIdx.x + 1;
    out[threadIdx.x] = q[128 + (threadIdx.x + 1) % 32];
}
__global__ void fields(two *q) {
    if (!threadIdx.x && !blockIdx.x) q->low = 5;
    if (!threadIdx.x && blockIdx.x) q->high = 9;
}
__global__ void atomic_half(unsigned short *h, int *out) {
    if (!threadIdx.x && !blockIdx.x) atomicCAS(h + 130, (unsigned short)0, (unsigned short)1);
    if (!threadIdx.x && blockIdx.x) *out = h[130];
}
int main() {
    unsigned char *q;
    int *out;
    CK(cudaMalloc(&q, 1024)), CK(cudaMemset(q, 0, 1024)), CK(cudaMalloc(&out, 128));
    byte_add<<<2, 32>>>(q);
    half_after_word<<<2, 32>>>((unsigned *)q, (unsigned short *)q, out);
    pair_over_byte<<<2, 32>>>(q);
    neighbour<<<1, 32>>>(q, out);
    fields<<<2, 32>>>((two *)(q + 256));
    atomic_half<<<2, 32>>>((unsigned short *)q, out);
    CK(cudaDeviceSynchronize());
    puts("done");
}
