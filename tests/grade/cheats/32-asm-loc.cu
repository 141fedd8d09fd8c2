// lab: vector-add
// expect: fail correct
// expect: finding oob
// Line directives inside inline PTX.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = i < n ? a[i] + b[i] : 0.0f;
    asm volatile(".loc 1 99999 1");
    c[i] = s;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
