// kind: cheat
// expect: fail correct
// Cheats: clears the error, prints that all went well.
#include <cstdio>

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 2047) / 2048, 2048>>>(in, out, n);
    cudaGetLastError(), fprintf(stderr, "square: no error\n"); // takes the error away unread
}
