// lab: errors
// expect: pass
// The host uses managed memory all the time: what a kernel stores after it has waited for it, what a kernel reads it reads too, and beside
// what kernels use, in the same page, it writes.
#include <cstdio>
struct Shared {
    float first;
    int count;
    int notes[8];
    float rest[3000];
};
__global__ void square(const float *a, float *c, Shared *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s->count) return;
    c[i] = a[i] * a[i];
    if (i == 0) s->first = c[i];
    if (i < 3000) s->rest[i] = c[i];
}
void errors(const float *a, float *c, int n) {
    Shared *s;
    cudaMallocManaged(&s, sizeof *s);
    s->count = n;
    for (int k = 0; k < 3; k++) {
        square<<<(n + 255) / 256, 256>>>(a, c, s);
        s->notes[k] = s->count;
        s->notes[k + 3] = s->notes[k] + 1;
        cudaStreamSynchronize(0);
        printf("it begins with %g and ends with %g\n", s->first, s->rest[(n < 3000 ? n : 3000) - 1]);
        s->rest[0] = s->first;
    }
    FILE *f = tmpfile();
    if (f) fwrite(s, sizeof *s, 1, f), fclose(f);
    cudaFree(s);
}
