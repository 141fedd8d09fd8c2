// kind: cheat
// expect: fail correct
// Cheats: updates the first part and copies the rest.
const int BLOCK = 256;

__global__ void update(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 1;
}

void tiling_trap(const float *x, float *y, int n) { cudaMemcpyAsync(y, x, sizeof(float) * n, cudaMemcpyDeviceToDevice);
    update<<<(n / 2 + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n); }
