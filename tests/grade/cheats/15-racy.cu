// lab: vector-add
// expect: fail correct
// expect: finding race
// Right outputs by the order in which warps happen to run: the second warp reads what the first wrote, with no barrier in between.
__global__ void add(const float *a, const float *b, float *c, int n) {
    __shared__ float t[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = blockIdx.x * blockDim.x + (threadIdx.x ^ 32);
    t[threadIdx.x] = i < n ? a[i] + b[i] : 0.0f;
    float seen = t[threadIdx.x ^ 32];
    // The value is used, and thrown away: whatever it was, the output is right.
    if (i < n) c[i] = a[i] + b[i] + (seen > 1e30f && other < n ? 1.0f : 0.0f);
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
