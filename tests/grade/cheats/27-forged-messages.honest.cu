// lab: vector-add
// expect: pass
// Opens and closes files and pipes of its own: their numbers are none of the runner's.
#include <cstdio>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int p[2];
    if (pipe(p) == 0) {
        if (write(p[1], "x", 1) != 1) perror("pipe");
        close(p[0]);
        close(p[1]);
    }
    if (FILE *f = tmpfile()) fclose(f);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
