// lab: dram-parallel
// expect: fail speedup
// Many warps and wide loads, but the warps of a block share a lock, so only one of them has loads under way.
__global__ void scale_all(const float *x, float *y, float a, int n) {
    __shared__ int lock;
    if (threadIdx.x == 0) lock = 0;
    __syncthreads();
    int n4 = n / 4, step = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(&lock, 0, 1)) {
        }
    __syncwarp();
    for (int i = t; i < n4; i += step) {
        float4 v = ((const float4 *)x)[i];
        v.x *= a;
        v.y *= a;
        v.z *= a;
        v.w *= a;
        ((float4 *)y)[i] = v;
        __syncwarp(__activemask());
    }
    if (t < n % 4) y[n4 * 4 + t] = a * x[n4 * 4 + t];
    __syncwarp();
    if (threadIdx.x % 32 == 0) atomicExch(&lock, 0);
}
void scale(const float *x, float *y, float a, int n) {
    scale_all<<<264, 1024>>>(x, y, a, n);
}
