// Every direction, small and large, and the default direction.
// fast
// expect: h2d d2h ok
// expect: d2d ok
// expect: h2h ok
// expect: default ok
// expect: large ok
#include "common.h"
int main() {
    char a[1000], b[1000] = {};
    for (int i = 0; i < 1000; i++) a[i] = (char)(i * 3);
    char *d, *e;
    CK(cudaMalloc(&d, 1000)), CK(cudaMalloc(&e, 1000));
    CK(cudaMemcpy(d, a, 1000, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, d, 1000, cudaMemcpyDeviceToHost));
    printf("h2d d2h %s\n", memcmp(a, b, 1000) ? "wrong" : "ok");
    memset(b, 0, 1000);
    CK(cudaMemcpy(e + 1, d + 3, 997, cudaMemcpyDeviceToDevice));
    CK(cudaMemcpy(b, e + 1, 997, cudaMemcpyDeviceToHost));
    printf("d2d %s\n", memcmp(a + 3, b, 997) ? "wrong" : "ok");
    CK(cudaMemcpy(b, a, 1000, cudaMemcpyHostToHost));
    printf("h2h %s\n", memcmp(a, b, 1000) ? "wrong" : "ok");
    memset(b, 0, 1000);
    CK(cudaMemcpy(e, a, 1000, cudaMemcpyDefault)), CK(cudaMemcpy(d, e, 1000, cudaMemcpyDefault));
    CK(cudaMemcpy(b, d, 1000, cudaMemcpyDefault));
    printf("default %s\n", memcmp(a, b, 1000) ? "wrong" : "ok");
    size_t n = 33 * 1000 * 1000;
    char *x = (char *)malloc(n), *y = (char *)calloc(1, n), *z;
    for (size_t i = 0; i < n; i++) x[i] = (char)(i * 2654435761u >> 13);
    CK(cudaMalloc(&z, n));
    CK(cudaMemcpy(z, x, n, cudaMemcpyHostToDevice)), CK(cudaMemcpy(y, z, n, cudaMemcpyDeviceToHost));
    printf("large %s\n", memcmp(x, y, n) ? "wrong" : "ok");
}
