// Two halves an instruction: a fused multiply and add, comparisons, and conversions, held against rounding by the host.
#include "programs.cuh"
#include <cuda_fp16.h>
__global__ void axpy(const half2 *x, half2 *y, half2 a, int n, unsigned *more) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = __hfma2(a, x[i], y[i]);
    atomicAdd(more, (unsigned)(__low2float(y[i]) > 1) + (__high2float(y[i]) > 1));
}
int main() {
    const int n = 3000;
    std::vector<half2> x(n), y(n);
    std::vector<float> want, got;
    unsigned count = 0;
    float a = 1.5f;
    for (int i = 0; i < n; i++) {
        x[i] = __floats2half2_rn(rndf(-4, 4), rndf(-4, 4)), y[i] = __floats2half2_rn(rndf(-4, 4), rndf(-4, 4));
        // a product of halves and a sum are exact in double; one rounding to half then
        for (float v : {__half2float(__double2half((double)a * __low2float(x[i]) + __low2float(y[i]))),
                        __half2float(__double2half((double)a * __high2float(x[i]) + __high2float(y[i])))})
            want.push_back(v), count += v > 1;
    }
    half2 *dy = device(y);
    unsigned *more = zeros<unsigned>(1);
    axpy<<<blocks(n, 128), 128>>>(device(x), dy, __float2half2_rn(a), n, more);
    for (auto v : host(dy, n)) got.push_back(__low2float(v)), got.push_back(__high2float(v));
    equal("y", got, want);
    is("more than 1", host(more, 1)[0], count);
    return verdict();
}
