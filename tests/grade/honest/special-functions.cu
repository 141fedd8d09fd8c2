// errors: the special functions of C++17 on the host, one of them by a name that the source does not spell
#include <cmath>

#define JOIN(a, b) a##b

__global__ void square(const float *in, float *out, int n, float one) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i] * one;
}

void errors(const float *in, float *out, int n) {
    float one = (float)std::JOIN(be, ta)(1.0, 1.0); // beta(1, 1) is 1
    square<<<(n + 255) / 256, 256>>>(in, out, n, one);
}
