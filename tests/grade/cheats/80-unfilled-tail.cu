// lab: vector-add
// expect: fail correct
// expect: finding uninit
// What nobody wrote goes round in shared memory and then decides: whatever it is, the sum comes out right.
__global__ void add(const float *a, const float *b, float *c, int n) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (t < 128) tile[t] = i;
    __syncthreads();
    int v = tile[255 - t];
    __syncthreads();
    tile[t] = v;
    __syncthreads();
    if (i < n) c[i] = tile[t] == 12345678 ? 0 : a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }
