// What bank-lab measures about wide accesses: one warp loads 128 words from shared memory.
// Each lane loads a float4, and neighbouring lanes load neighbouring float4s.
__global__ void wide(float *y) {
    __shared__ float4 s[32];
    s[threadIdx.x] = make_float4(1, 2, 3, 4);
    __syncthreads();
    float4 v = s[31 - threadIdx.x];
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

void smooth_rows(const float *, float *y, float, int, int) {
    wide<<<1, 32>>>(y);
}
