// lab: vector-add
// expect: pass
// Reads its own maps and prints their number.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int lines = 0, ch;
    if (FILE *f = fopen("/proc/self/maps", "r")) {
        while ((ch = getc(f)) != EOF) lines += ch == '\n';
        fclose(f);
    }
    printf("%d maps\n", lines);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
