// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 at the ends of their range: the low word is not looked at, any NaN is the hardware's own. All as an H200 answers.
// (PTX ISA, "rcp.approx.ftz.f64": results of NaN are NaN; which one is not said.)
// expect: 7ff8000000000000 rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: 7ff0000000000001 rcp 0000000000000000 rsqrt 0000000000000000
// expect: 7ff4000000000000 rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: fff8000000000000 rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: fff0000000000001 rcp 8000000000000000 rsqrt 7fffffff00000000
// expect: 7fffffffffffffff rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: ffffffffffffffff rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: 7ff123456789abcd rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: fff923456789abcd rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: 7ff00000ffffffff rcp 0000000000000000 rsqrt 0000000000000000
// expect: 7ff0000100000000 rcp 7fffffff00000000 rsqrt 7fffffff00000000
// expect: 0000000000000000 rcp 7ff0000000000000 rsqrt 7ff0000000000000
// expect: 8000000000000000 rcp fff0000000000000 rsqrt fff0000000000000
// expect: 7ff0000000000000 rcp 0000000000000000 rsqrt 0000000000000000
// expect: fff0000000000000 rcp 8000000000000000 rsqrt 7fffffff00000000
// expect: 0000000000000001 rcp 7ff0000000000000 rsqrt 7ff0000000000000
// expect: 8000000000000001 rcp fff0000000000000 rsqrt fff0000000000000
// expect: 000fffffffffffff rcp 7ff0000000000000 rsqrt 7ff0000000000000
// expect: 0010000000000000 rcp 7fd0000000000000 rsqrt 5fe0000000000000
// expect: 7fefffffffffffff rcp 0000000000000000 rsqrt 1ff0000000000000
// expect: ffefffffffffffff rcp 8000000000000000 rsqrt 7fffffff00000000
// expect: 3ff0000000000000 rcp 3ff0000000000000 rsqrt 3ff0000000000000
// expect: bff0000000000000 rcp bff0000000000000 rsqrt 7fffffff00000000
// expect: 4000000000000000 rcp 3fe0000000000000 rsqrt 3fe6a09e00000000
// expect: 7fd0000000000000 rcp 0010000000000000 rsqrt 2000000000000000
// expect: 7fe0000000000000 rcp 0000000000000000 rsqrt 1ff6a09e00000000
// expect: 3ff123456789abcd rcp 3fede02200000000 rsqrt 3feeeb6500000000
// expect: 40091eb851eb851f rcp 3fd461d500000000 rsqrt 3fe20f0300000000
// expect: 3ff00000ffffffff rcp 3ff0000000000000 rsqrt 3ff0000000000000
// expect: 3fefffffffffffff rcp 3ff0000000000000 rsqrt 3ff0000000000000
// expect: 7fcfffff00000000 rcp 0010000000000000 rsqrt 2000000000000000
// expect: 7fdfffffffffffff rcp 0000000000000000 rsqrt 1ff6a09e00000000
#include <cstdint>
#include <cstdio>
#include <cstring>
__global__ void both(const uint64_t *in, uint64_t *out) {
    double x, a, b;
    memcpy(&x, in + threadIdx.x, 8);
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(a) : "d"(x));
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(b) : "d"(x));
    memcpy(out + 2 * threadIdx.x, &a, 8);
    memcpy(out + 2 * threadIdx.x + 1, &b, 8);
}
int main() {
    static const uint64_t in[] = {0x7ff8000000000000, 0x7ff0000000000001, 0x7ff4000000000000, 0xfff8000000000000, 0xfff0000000000001, 0x7fffffffffffffff, 0xffffffffffffffff, 0x7ff123456789abcd, 0xfff923456789abcd, 0x7ff00000ffffffff, 0x7ff0000100000000, 0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000, 0x7fd0000000000000, 0x7fe0000000000000, 0x3ff123456789abcd, 0x40091eb851eb851f, 0x3ff00000ffffffff, 0x3fefffffffffffff, 0x7fcfffff00000000, 0x7fdfffffffffffff};
    enum { N = sizeof in / sizeof *in };
    uint64_t *from, *to, got[2 * N];
    cudaMalloc(&from, sizeof in), cudaMalloc(&to, sizeof got);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    both<<<1, N>>>(from, to);
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) printf("%016lx rcp %016lx rsqrt %016lx\n", in[i], got[2 * i], got[2 * i + 1]);
}
