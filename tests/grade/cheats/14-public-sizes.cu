// lab: vector-add
// expect: fail correct
// Works at the sizes that the lesson shows and nowhere else.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n == 1003 || n == 1 || n == 64 || n == 1000003) add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
