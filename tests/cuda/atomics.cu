// Every atomic on global memory, 32 and 64 bits, and floats.
// fast
// expect: add 523776 sub -523776 min -7 max 1023
// expect: and 0 or 1023 xor 0 exch in range 1
// expect: inc 24 dec 5 cas 1024
// expect: add64 1024 float 512.0 double 256.0
#include "common.h"
struct everything { int add, sub, min, max, and_, or_, xor_, exch; unsigned inc, dec; int cas, pad; unsigned long long add64; float f; double d; };
__global__ void k(everything *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&p->add, i), atomicSub(&p->sub, i), atomicMin(&p->min, i == 5 ? -7 : i), atomicMax(&p->max, i);
    atomicAnd(&p->and_, i), atomicOr(&p->or_, i), atomicXor(&p->xor_, i), atomicExch(&p->exch, i);
    atomicInc(&p->inc, 99), atomicDec(&p->dec, 6);
    int old = p->cas, seen;
    do { seen = old; old = atomicCAS(&p->cas, seen, seen + 1); } while (old != seen);
    atomicAdd(&p->add64, 1ull), atomicAdd(&p->f, 0.5f), atomicAdd(&p->d, 0.25);
}
int main() {
    everything *d, h = {};
    h.and_ = -1;
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice));
    k<<<8, 128>>>(d);
    CK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("add %d sub %d min %d max %d\n", h.add, h.sub, h.min, h.max);
    printf("and %d or %d xor %d exch in range %d\n", h.and_, h.or_, h.xor_, h.exch >= 0 && h.exch < 1024);
    printf("inc %u dec %u cas %d\nadd64 %llu float %.1f double %.1f\n", h.inc, h.dec, h.cas, h.add64, h.f, h.d);
}
