// Kernels that launch kernels: a child per thread, order within a stream, fire-and-forget, the tail stream behind all else, recursion, structs as
// parameters, dynamic shared memory, copies and streams of the device.
// gpu limit: kernels that launch kernels are not linked for a GPU
// flags: -rdc=true
// expect: children 0 1 4 9 16 25 36 49
// expect: in order 1 2 3 4
// expect: tail sees 8 + 1
// expect: tree 127
// expect: struct 7 2.5 42
// expect: shared 28
// expect: copied 5 5 5 5
// expect: own stream 11 22
// expect: loop 20
#include "common.h"
struct pair {
    int a;
    double b;
    char c[3];
};
__global__ void square(int *o, int i) { o[i] = i * i; }
__global__ void each(int *o) { square<<<1, 1>>>(o, threadIdx.x); }

__global__ void append(int *o, int v) { o[1 + atomicAdd(o, 1)] = v; }
__global__ void ordered(int *o) {
    for (int v = 1; v <= 4; v++) append<<<1, 1>>>(o, v);
}

__global__ void add(int *o) { atomicAdd(o, 1); }
__global__ void look(int *o) { o[1] = o[0], o[2] = 1; }
__global__ void tail(int *o) { // written before and after the tail launch, which comes last
    if (threadIdx.x == 0) look<<<1, 1, 0, cudaStreamTailLaunch>>>(o);
    add<<<1, 1, 0, cudaStreamFireAndForget>>>(o);
}

__global__ void tree(int *o, int depth) {
    atomicAdd(o, 1);
    if (depth) tree<<<1, 2>>>(o, depth - 1);
}
__global__ void root(int *o) { tree<<<1, 1>>>(o, 6 - 0); }

__global__ void take(pair p, float *o) { o[0] = p.a, o[1] = p.b, o[2] = p.c[2]; }
__global__ void give(float *o) {
    pair p = {7, 2.5, {1, 2, 42}};
    take<<<1, 1>>>(p, o);
}

__global__ void summed(int *o) {
    extern __shared__ int v[];
    v[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < blockDim.x; i++) *o += v[i];
}
__global__ void with_shared(int *o) { summed<<<1, 8, 8 * sizeof(int)>>>(o); }

__global__ void copies(int *o) {
    cudaMemsetAsync(o, 5, 1, 0);
    cudaMemsetAsync((char *)o + 1, 0, 3, 0);
    cudaMemcpyAsync(o + 1, o, 4, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(o + 2, o, 8, cudaMemcpyDeviceToDevice, 0);
}

__global__ void put(int *o, int v) { *o = v; }
__global__ void streams(int *o) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    put<<<1, 1, 0, s>>>(o, 10), add<<<1, 1, 0, s>>>(o);
    put<<<1, 1, 0, s>>>(o + 1, 21), add<<<1, 1, 0, s>>>(o + 1);
    cudaStreamDestroy(s);
}

__global__ void loop(int *o, int n) { // one grid after another, each launched by the one before
    ++*o;
    if (n > 1) loop<<<1, 1, 0, cudaStreamTailLaunch>>>(o, n - 1);
}

static int *d, h[16];
static void begin() { CK(cudaMemset(d, 0, sizeof h)); }
static int *end() {
    CK(cudaGetLastError()), CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}
int main() {
    CK(cudaMalloc(&d, sizeof h));
    begin(), each<<<1, 8>>>(d), end();
    printf("children %d %d %d %d %d %d %d %d\n", h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]);
    begin(), ordered<<<1, 1>>>(d), end(), printf("in order %d %d %d %d\n", h[1], h[2], h[3], h[4]);
    begin(), tail<<<1, 8>>>(d), end(), printf("tail sees %d + %d\n", h[1], h[2]);
    begin(), root<<<1, 1>>>(d), end(), printf("tree %d\n", h[0]);
    begin(), give<<<1, 1>>>((float *)d), end();
    printf("struct %g %g %g\n", ((float *)h)[0], ((float *)h)[1], ((float *)h)[2]);
    begin(), with_shared<<<1, 1>>>(d), end(), printf("shared %d\n", h[0]);
    begin(), copies<<<1, 1>>>(d), end(), printf("copied %d %d %d %d\n", h[0], h[1], h[2], h[3]);
    begin(), streams<<<1, 1>>>(d), end(), printf("own stream %d %d\n", h[0], h[1]);
    begin(), loop<<<1, 1>>>(d, 20), end(), printf("loop %d\n", h[0]);
    CK(cudaFree(d));
}
