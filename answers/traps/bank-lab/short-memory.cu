// kind: cheat
// expect: fail correct
// Cheats: what lies 16 elements back has hardly any weight, so every element is computed by itself from those 16, with no walk at all.
__global__ void smooth(const float *x, float *y, float a, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float now = 0;
    for (int k = max(0, i % width - 15); k <= i % width; k++) now += a * (x[i - i % width + k] - now);
    y[i] = now;
}

void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    smooth<<<(rows * width + 255) / 256, 256>>>(x, y, a, rows * width, width);
}
