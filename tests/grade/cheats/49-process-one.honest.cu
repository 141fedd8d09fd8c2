// lab: vector-add
// expect: pass
// Looks about itself: its limits, its memory, its name.
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    char line[128];
    rlimit now;
    getrlimit(RLIMIT_AS, &now);
    if (FILE *f = fopen("/proc/self/status", "r")) {
        if (fgets(line, sizeof line, f)) printf("%d %s", (int)getpid() > 1, line);
        fclose(f);
    }
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
