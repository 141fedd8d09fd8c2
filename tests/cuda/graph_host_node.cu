// Host functions and pageable memory in a graph: the program works along.
// expect: host saw 6
// expect: result 12
// expect: host saw 60
// expect: result 120
#include "common.h"
__global__ void sum(int *p) { p[3] = p[0] + p[1] + p[2]; }
__global__ void twice(int *p) { p[3] *= 2; }
static int in[3] = {1, 2, 3}, mid, out;
static void CUDART_CB look(void *) { printf("host saw %d\n", mid); }
int main() {
    int *d;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    CK(cudaMalloc(&d, 16)), CK(cudaStreamCreate(&s));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(cudaMemcpyAsync(d, in, 12, cudaMemcpyHostToDevice, s));
    sum<<<1, 1, 0, s>>>(d);
    CK(cudaMemcpyAsync(&mid, d + 3, 4, cudaMemcpyDeviceToHost, s));
    CK(cudaLaunchHostFunc(s, look, NULL));
    twice<<<1, 1, 0, s>>>(d);
    CK(cudaMemcpyAsync(&out, d + 3, 4, cudaMemcpyDeviceToHost, s));
    CK(cudaStreamEndCapture(s, &g));
    CK(cudaGraphInstantiate(&x, g, 0));
    for (int r = 0; r < 2; r++) {
        CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
        printf("result %d\n", out);
        for (int &v : in) v *= 10;
    }
}
