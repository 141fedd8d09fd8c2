// lab: vector-add
// expect: fail correct
// Does all its work in the first call, on whatever it finds there, and nothing later.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static bool done;
    if (!done) add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    done = true;
}
