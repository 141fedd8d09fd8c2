// kind: slow
// expect: fail speedup
// expect: met correct
// Correct and full warps, but a single block keeps one multiprocessor busy
// and leaves all the others without work.
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<1, 256>>>(a, b, c, n); }
