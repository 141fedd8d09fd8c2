// Host functions run in stream order, after the kernel before them and before the one behind.
// fast
// expect: 5 seen by the host
// expect: 50 at the end
#include "common.h"
__global__ void add(int *p, int v) { *p += v; }
__global__ void mul(int *p, int v) { *p *= v; }
struct both { int *mapped, seen; };
static void CUDART_CB look(void *x) {
    both *b = (both *)x;
    b->seen = *b->mapped;
}
int main() {
    both b = {};
    CK(cudaHostAlloc(&b.mapped, 4, cudaHostAllocMapped));
    *b.mapped = 0;
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    add<<<1, 1, 0, s>>>(b.mapped, 5);
    CK(cudaLaunchHostFunc(s, look, &b));
    mul<<<1, 1, 0, s>>>(b.mapped, 10);
    CK(cudaStreamSynchronize(s));
    printf("%d seen by the host\n%d at the end\n", b.seen, *b.mapped);
}
