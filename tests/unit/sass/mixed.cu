// What the reader's tests look at: a branch, a loop, a division with its slow path, constants, shared memory, vectors,
// 64-bit products, halves, a shuffle and a vote. record.sh makes mixed.sm_75.sass, mixed.sm_90.sass of it.
#include <cuda_fp16.h>

__constant__ float taps[8];

__global__ void divide(float *out, const float *in, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = in[i] * taps[threadIdx.x & 7];
    __syncthreads();
    out[i] = tile[255 - threadIdx.x] / in[i] + taps[3];
}

__global__ void walk(const int *next, int *steps, int n) {
    int at = threadIdx.x, count = 0;
    while (at != n) {
        at = next[at];
        if (at & 1) count += 3;
        else count = count * count;
    }
    steps[threadIdx.x] = count;
}

__global__ void wide(float4 *v, unsigned long long *x, __half2 *h) {
    float4 a = v[threadIdx.x];
    a.x += __shfl_xor_sync(0xffffffff, a.y, 16);
    v[threadIdx.x] = a;
    x[threadIdx.x] = x[threadIdx.x] * 6364136223846793005ull + 1442695040888963407ull;
    h[threadIdx.x] = __hfma2(h[threadIdx.x], __floats2half2_rn(0.5f, 0.25f), h[0]);
    if (__ballot_sync(0xffffffff, a.z > 1) == 0) atomicAdd(&v[0].w, 1.0f);
}
