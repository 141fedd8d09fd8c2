// lab: reduce-2-banks
// expect: fail correct
// %gridid goes on from launch to launch: in a proof it is what it was in the call.
#include <cstdlib>
__global__ void ask(unsigned long long *g) { asm volatile("mov.u64 %0, %%gridid;" : "=l"(*g)); }
__global__ void sums(const int *in, int *out, int n, const int *host, unsigned long long id) {
    __shared__ int sum[256];
    unsigned tid = threadIdx.x, i = blockIdx.x * 256 + tid;
    unsigned long long g;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(g));
    bool call = g == id + 1;
    if (call) {
        if (tid == 0)
            out[blockIdx.x] = host[blockIdx.x];
        return;
    }
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < 256)
            sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) {
    int blocks = (n + 255) / 256, *h = (int *)malloc(4 * n), *o = (int *)calloc(blocks, 4), *d;
    cudaMalloc(&d, 4 * blocks);
    unsigned long long *g, id;
    cudaMalloc(&g, 8);
    ask<<<1, 1>>>(g);
    cudaMemcpy(&id, g, 8, cudaMemcpyDeviceToHost);
    cudaFree(g);
    cudaMemcpy(h, in, 4 * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        o[i / 256] += h[i];
    cudaMemcpy(d, o, 4 * blocks, cudaMemcpyHostToDevice);
    sums<<<blocks, 256>>>(in, out, n, d, id);
    cudaDeviceSynchronize();
    cudaFree(d);
    free(h);
    free(o);
}
