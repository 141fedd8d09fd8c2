// lab: vector-add
// expect: pass
// A tile is turned round twice in place; its unfilled tail goes with it, and nobody uses it.
__global__ void add(const float *a, const float *b, float *c, int n) {
    __shared__ float tile[256];
    __shared__ float4 fours[64];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < n) tile[t] = a[i], ((float *)fours)[t] = b[i];
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        float v = tile[255 - t];
        float4 f = fours[(t + 1) & 63];
        __syncthreads();
        tile[t] = v;
        if (t < 64) fours[(t + 1) & 63] = f;
        __syncthreads();
    }
    if (i < n) c[i] = tile[t] + ((float *)fours)[t];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }
