// lab: vector-add
// expect: pass
// Adds in double precision and rounds once: within one unit in the last place.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = (float)((double)a[i] + (double)b[i]);
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
