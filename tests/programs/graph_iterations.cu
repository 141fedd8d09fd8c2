// A step captured once as a graph and launched many times; one node's parameters changed in between.
#include "programs.cuh"
__global__ void step(const float *a, float *b, int n, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + k * (a[(i + 1) % n] - 2 * a[i] + a[(i + n - 1) % n]);
}
int main() {
    const int n = 3000;
    auto a = floats(n), b = a;
    float *x = device(a), *y = device<float>(n);
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamCreate(&s));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    step<<<blocks(n, 128), 128, 0, s>>>(x, y, n, 0.25f);
    step<<<blocks(n, 128), 128, 0, s>>>(y, x, n, 0.25f);
    CK(cudaStreamEndCapture(s, &graph));
    size_t count = 0;
    CK(cudaGraphGetNodes(graph, nullptr, &count));
    is("nodes", count, 2);
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 10; k++) CK(cudaGraphLaunch(exec, s));
    std::vector<cudaGraphNode_t> node(count);
    CK(cudaGraphGetNodes(graph, node.data(), &count));
    float half = 0.5f;
    int size = n;
    void *args[] = {&x, &y, &size, &half};
    cudaKernelNodeParams p = {};
    p.func = (void *)step, p.gridDim = dim3(blocks(n, 64)), p.blockDim = dim3(64), p.kernelParams = args;
    CK(cudaGraphExecKernelNodeSetParams(exec, node[0], &p));
    CK(cudaGraphLaunch(exec, s));
    CK(cudaStreamSynchronize(s));
    for (int k = 0; k < 22; k++) {
        float w = k == 20 ? 0.5f : 0.25f;
        for (int i = 0; i < n; i++) b[i] = a[i] + w * (a[(i + 1) % n] - 2 * a[i] + a[(i + n - 1) % n]);
        a.swap(b);
    }
    near("wave", host(x, n), a, 1e-4);
    return verdict();
}
