// lab: vector-add
// expect: pass
// Names its own lines, as generated code does.
#line 1 "gcc"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
