// Parameters by value: padded structs, arrays in structs, 3 KB at once.
// fast
// expect: 1 2.5 3 4
// expect: 523776
#include "common.h"
struct odd { char a; double b; short c; float d; };
struct big { int v[700]; };
struct arr { int n; int v[1024 - 701]; };
__global__ void k(odd o, double *p) { p[0] = o.a, p[1] = o.b, p[2] = o.c, p[3] = o.d; }
__global__ void sum(big b, arr a, int *p) {
    int s = 0;
    for (int i = 0; i < 700; i++) s += b.v[i];
    for (int i = 0; i < a.n; i++) s += a.v[i];
    *p = s;
}
int main() {
    double *d, h[4];
    int *q, s;
    CK(cudaMalloc(&d, 32)), CK(cudaMalloc(&q, 4));
    k<<<1, 1>>>(odd{1, 2.5, 3, 4.0f}, d);
    CK(cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost)), printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
    static big b;
    static arr a;
    for (int i = 0; i < 700; i++) b.v[i] = i;
    a.n = 323;
    for (int i = 0; i < 323; i++) a.v[i] = 700 + i;
    a.v[322] += 1023;
    sum<<<1, 1>>>(b, a, q);
    CK(cudaMemcpy(&s, q, 4, cudaMemcpyDeviceToHost)), printf("%d\n", s);
}
