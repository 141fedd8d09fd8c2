// errors: one thread of each launch prints
#include <cstdio>

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("squaring %d values, the first is %g\n", n, in[0]);
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
