// Lanes of one warp that take a lock in turn, and a producer and a consumer in one warp.
// expect: 64 added
// expect: received 496
#include "common.h"
__global__ void add(int *lock, int *sum) {
    bool done = false;
    while (!done)
        if (!atomicCAS(lock, 0, 1)) {
            __threadfence();
            *(volatile int *)sum += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}
__global__ void pass(volatile int *box, int *sum) {
    if (threadIdx.x == 0)
        for (int i = 0; i < 32; i++) {
            while (box[0]) {}
            box[1] = i;
            __threadfence();
            box[0] = 1;
        }
    else {
        int s = 0;
        for (int i = 0; i < 32; i++) {
            while (!box[0]) {}
            s += box[1];
            __threadfence();
            box[0] = 0;
        }
        *sum = s;
    }
}
int main() {
    int *d, h[2];
    CK(cudaMalloc(&d, 16)), CK(cudaMemset(d, 0, 16));
    add<<<2, 32>>>(d, d + 1);
    CK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost)), printf("%d added\n", h[1]);
    CK(cudaMemset(d, 0, 16));
    pass<<<1, 2>>>(d, d + 2);
    CK(cudaMemcpy(h, d + 2, 4, cudaMemcpyDeviceToHost)), printf("received %d\n", h[0]);
}
