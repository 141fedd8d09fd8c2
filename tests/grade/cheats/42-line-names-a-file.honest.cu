// lab: vector-add
// expect: pass
// Lines that say they are those of the generator's input.
#line 100 "vector-add.template"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
#line 7 "vector-add.template"
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }
