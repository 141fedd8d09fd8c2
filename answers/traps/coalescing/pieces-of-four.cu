// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// Half the technique: the warp's chunk is shorter, but each thread still
// walks through four neighbours of its own, one float at a time: lanes stand
// 16 bytes apart and a request takes 16 sectors instead of 4.
__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int first = thread * 4; first < n; first += threads * 4)
#pragma unroll 1 // so that the compiler does not make one wide load of the four
        for (int k = 0; k < 4; k++)
            if (first + k < n) y[first + k] = a * x[first + k];
}
void scale(const float *x, float *y, float a, int n) {
    int threads = (n + 15) / 16;
    scale_kernel<<<(threads + 255) / 256, 256>>>(x, y, a, n);
}
