// What test_debug.c looks at. kernel.ptx is `nvcc -G -ptx -arch=sm_90 kernel.cu` of CUDA 13.0; the
// test counts lines of this file.
struct pair {
    float x;
    int n;
};

__device__ __noinline__ float square(float v) {
    float t = v * v;
    return t;
}

__global__ void work(const float *a, float *c, int n, pair p) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float kept[4];
    tile[threadIdx.x] = a[i];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        kept[k] = k * p.x;
    }
    if (i < n) {
        float s = tile[63 - threadIdx.x];
        if (i % 2)
            s = square(s) + kept[3];
        else
            s -= 1;
        c[i] = s;
    }
    if (i == p.n)
        c[7] = -1;
}
