// sim only
// expect: done
// The honest twins of the races of graphs, bytes and textures: edges order what meets, through a child, a join and a copy of the program's own memory; what no
// edge orders meets in no byte, though in the same words and sectors. Launched twice, and beside a stream: no race is found.
#include "common.h"
__global__ void fill(unsigned char *x, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}
__global__ void read(cudaTextureObject_t t, int from, int n, float *out) {
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += tex1Dfetch<float>(t, from + i);
    out[threadIdx.x] = s;
}
static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *after, int n, unsigned char *x, int bytes, int v) {
    void *args[] = {&x, &bytes, &v};
    cudaKernelNodeParams k = {};
    cudaGraphNode_t node;
    k.func = (void *)fill, k.gridDim = 4, k.blockDim = 256, k.kernelParams = args;
    CK(cudaGraphAddKernelNode(&node, g, after, n, &k));
    return node;
}
int main() {
    enum { N = 1001 };
    static unsigned char host[N];
    unsigned char *x;
    float *f, *out;
    cudaStream_t a, b;
    CK(cudaMalloc(&x, N));
    CK(cudaMalloc(&f, N * sizeof *f));
    CK(cudaMalloc(&out, 32 * sizeof *out));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    // bytes of one word in two streams
    fill<<<4, 256, 0, a>>>(x, 501, 1);
    fill<<<4, 256, 0, b>>>(x + 501, N - 501, 2);
    CK(cudaDeviceSynchronize());
    // a diamond: a copy of the host's memory, two halves that meet within a word, a child graph, a copy back
    cudaGraph_t g, child;
    cudaGraphNode_t in, half[2], whole, back;
    cudaGraphExec_t exec;
    CK(cudaGraphCreate(&g, 0));
    CK(cudaGraphCreate(&child, 0));
    CK(cudaGraphAddMemcpyNode1D(&in, g, NULL, 0, x, host, N, cudaMemcpyHostToDevice));
    half[0] = kernel(g, &in, 1, x, 501, 3), half[1] = kernel(g, &in, 1, x + 501, N - 501, 4);
    cudaGraphNode_t first = kernel(child, NULL, 0, x, N, 5);
    kernel(child, &first, 1, x, N, 6);
    CK(cudaGraphAddChildGraphNode(&whole, g, half, 2, child));
    CK(cudaGraphAddMemcpyNode1D(&back, g, &whole, 1, host, x, N, cudaMemcpyDeviceToHost));
    CK(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 2; i++) CK(cudaGraphLaunch(exec, a));
    CK(cudaMemsetAsync(f, 0, N * sizeof *f, b)); // nothing that the graph touches
    CK(cudaDeviceSynchronize());
    // a captured fork and join
    cudaEvent_t fork, join;
    CK(cudaEventCreate(&fork));
    CK(cudaEventCreate(&join));
    CK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    fill<<<4, 256, 0, a>>>(x, N, 7);
    CK(cudaEventRecord(fork, a));
    CK(cudaStreamWaitEvent(b, fork, 0));
    fill<<<4, 256, 0, a>>>(x, 500, 8);
    fill<<<4, 256, 0, b>>>(x + 500, N - 500, 9);
    CK(cudaEventRecord(join, b));
    CK(cudaStreamWaitEvent(a, join, 0));
    fill<<<4, 256, 0, a>>>(x, N, 10);
    CK(cudaStreamEndCapture(a, &g));
    CK(cudaGraphInstantiate(&exec, g, 0));
    CK(cudaGraphLaunch(exec, a));
    CK(cudaStreamSynchronize(a));
    // a texture: read where the other stream does not write, then behind an event
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = f, r.res.linear.sizeInBytes = N * sizeof *f, r.res.linear.desc = cudaCreateChannelDesc<float>();
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    read<<<1, 32, 0, a>>>(t, 0, 501, out);
    CK(cudaMemsetAsync(f + 501, 0, (N - 501) * sizeof *f, b));
    CK(cudaEventRecord(join, b));
    CK(cudaStreamWaitEvent(a, join, 0));
    read<<<1, 32, 0, a>>>(t, 0, N, out);
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("done\n");
}
