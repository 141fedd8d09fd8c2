// lab: vector-add
// expect: pass
// Goes through shared memory with a barrier in between.
__global__ void add(const float *a, const float *b, float *c, int n) {
    __shared__ float t[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.x * blockDim.x + (threadIdx.x ^ 1);
    t[threadIdx.x ^ 1] = from < n ? a[from] + b[from] : 0.0f;
    __syncthreads();
    if (i < n) c[i] = t[threadIdx.x];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
