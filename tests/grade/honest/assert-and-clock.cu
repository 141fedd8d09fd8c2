// errors: assertions that hold, clock64 and nanosleep
#include <cassert>

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long begin = clock64();
    if (i >= n) return;
    __nanosleep(20);
    assert(blockDim.x == 256 && in[i] == in[i]);
    if (clock64() >= begin) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
