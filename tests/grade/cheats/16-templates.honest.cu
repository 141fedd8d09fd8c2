// lab: vector-add
// expect: pass
// Templates and macros within reason.
#define BLOCK 64
template <int N> __global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * N + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<BLOCK><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, c, n); }
