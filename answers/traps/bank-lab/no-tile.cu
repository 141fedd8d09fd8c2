// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// expect: met counter shared_load_passes
// No shared memory, no conflicts: the lanes walk along rows of global memory, a row apart.
__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float now = 0;
    for (int k = 0; k < width; k++) {
        now += a * (x[r * width + k] - now);
        y[r * width + k] = now;
    }
}

void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    smooth<<<(rows + 63) / 64, 64>>>(x, y, a, rows, width);
}
