// Copies and memsets against volatile and atomic accesses of a kernel in another stream, in a graph, and by a kernel's children.
// sim only
// flags: -rdc=true
// arch: sm_90
// expect: done
// finding: race
// stderr: a copy to the device in stream 2 (writes) and kernel reads_copied in stream 1 (reads
// stderr: kernel reads_cleared in stream 1 (reads, line 19) and a memset in stream 2 (writes)
// stderr: kernel stores in stream 1 (writes, line 20) and a copy to the host in stream 2 (reads)
// stderr: kernel adds in stream 1 (writes, line 21) and a copy on the device in stream 2 (writes)
// stderr: kernel relaxed in stream 1 (reads, line 22) and a copy to the device in stream 2 (writes)
// stderr: kernel before_sync in stream 1 (reads, line 23) and a copy to the device in the default stream (writes)
// stderr: kernel bytes in stream 1 (reads, line 24) and a memset in stream 2 (writes)
// stderr: data race between nodes of a graph: a memset in stream 1 (writes) and kernel in_graph
// stderr: data race between grids that one kernel launched: kernel child_stores in stream 1 (writes, line 26) and kernel child_reads in stream 1 (reads, line 27)
#include "common.h"
typedef volatile int vint;
__global__ void reads_copied(const vint *q, int *out) { *out = q[0]; }
__global__ void reads_cleared(const vint *q, int *out) { *out = q[0]; }
__global__ void stores(vint *q) { q[0] = 3; }
__global__ void adds(int *q) { atomicAdd(q, 3); }
__global__ void relaxed(int *q, int *out) { asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(*out) : "l"(q)); }
__global__ void before_sync(const vint *q, int *out) { *out = q[0]; }
__global__ void bytes(const volatile unsigned char *q, int *out) { *out = q[1]; }
__global__ void in_graph(const vint *q, int *out) { *out = q[0]; }
__global__ void child_stores(int *q) { q[0] = 4; }
__global__ void child_reads(const vint *q, int *out) { *out = q[0]; }
__global__ void parent(int *q, int *out) {
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    child_stores<<<1, 1, 0, a>>>(q);
    child_reads<<<1, 1, 0, b>>>(q, out);
}
int main() {
    enum { PARTS = 16 };
    int *x, *page_locked, *part[PARTS], *out;
    cudaStream_t a, b;
    CK(cudaMalloc(&x, PARTS * 256)), CK(cudaMalloc(&out, PARTS * 256)), CK(cudaMallocHost(&page_locked, 256));
    CK(cudaMemset(x, 0, PARTS * 256)), CK(cudaMemset(page_locked, 0, 256)), CK(cudaDeviceSynchronize());
    for (int i = 0; i < PARTS; i++) part[i] = x + 64 * i;
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CK(cudaMemcpyAsync(part[0], page_locked, 64, cudaMemcpyHostToDevice, b));
    reads_copied<<<1, 1, 0, a>>>(part[0], out);
    reads_cleared<<<1, 1, 0, a>>>(part[1], out);
    CK(cudaMemsetAsync(part[1], 1, 64, b));
    stores<<<1, 1, 0, a>>>(part[2]);
    CK(cudaMemcpyAsync(page_locked + 16, part[2], 64, cudaMemcpyDeviceToHost, b));
    adds<<<1, 1, 0, a>>>(part[3]);
    CK(cudaMemcpyAsync(part[3], part[4], 64, cudaMemcpyDeviceToDevice, b));
    relaxed<<<1, 1, 0, a>>>(part[5], out);
    CK(cudaMemcpyAsync(part[5], page_locked, 64, cudaMemcpyHostToDevice, b));
    bytes<<<1, 1, 0, a>>>((unsigned char *)part[7], out);
    CK(cudaMemsetAsync((char *)part[7] + 1, 1, 1, b));
    CK(cudaMemsetAsync((char *)part[7] + 2, 1, 1, b)); // another byte
    before_sync<<<1, 1, 0, a>>>(part[6], out);
    CK(cudaMemcpy(part[6], page_locked, 64, cudaMemcpyHostToDevice));
    CK(cudaDeviceSynchronize());
    cudaGraph_t g;
    cudaGraphNode_t clear, kernel;
    cudaGraphExec_t exec;
    CK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = part[8], m.elementSize = 4, m.width = 8, m.height = 1;
    CK(cudaGraphAddMemsetNode(&clear, g, NULL, 0, &m));
    void *args[] = {&part[8], &out};
    cudaKernelNodeParams k = {};
    k.func = (void *)in_graph, k.gridDim = k.blockDim = dim3(1), k.kernelParams = args;
    CK(cudaGraphAddKernelNode(&kernel, g, NULL, 0, &k));
    CK(cudaGraphInstantiate(&exec, g, 0));
    CK(cudaGraphLaunch(exec, a));
    CK(cudaDeviceSynchronize());
    parent<<<1, 1, 0, a>>>(part[9], out);
    CK(cudaDeviceSynchronize());
    puts("done");
}
