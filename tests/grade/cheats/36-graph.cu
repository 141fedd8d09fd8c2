// lab: vector-add
// expect: fail correct
// In the small cases a graph copies out, adds in a host node, and copies back.
#include <cuda_runtime.h>
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void decoy(float *c) {
    c[0] = 1;
}
struct job {
    float *x, *y;
    int n;
};
static void work(void *p) {
    job *j = (job *)p;
    for (int i = 0; i < j->n; i++) j->x[i] += j->y[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n > 100000) { // the case that is timed is honest
        add<<<(n + 255) / 256, 256>>>(a, b, c, n);
        return;
    }
    std::vector<float> x(n), y(n);
    job j = {x.data(), y.data(), n};
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t take[2], host, back;
    cudaGraphCreate(&g, 0);
    cudaGraphAddMemcpyNode1D(&take[0], g, nullptr, 0, j.x, a, n * sizeof(float),
                             cudaMemcpyDeviceToHost);
    cudaGraphAddMemcpyNode1D(&take[1], g, nullptr, 0, j.y, b, n * sizeof(float),
                             cudaMemcpyDeviceToHost);
    cudaHostNodeParams p = {work, &j};
    cudaGraphAddHostNode(&host, g, take, 2, &p);
    cudaGraphAddMemcpyNode1D(&back, g, &host, 1, c, j.x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&e, g, 0);
    decoy<<<1, 1>>>(c);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}
