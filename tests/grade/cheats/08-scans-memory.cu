// lab: vector-add
// expect: fail correct
// expect: finding oob
// Searches the device memory around its output for somebody else's answer.
__global__ void scan(const float *a, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 0;
    for (long k = -4096; k < 4096; k++)
        if (c[n + k] != a[i]) best = c[n + k];
    c[i] = best;
}
void vector_add(const float *a, const float *, float *c, int n) { scan<<<(n + 63) / 64, 64>>>(a, c, n); }
