// kind: cheat
// expect: fail counter global_load_sectors
// expect: met correct
// Cheats: keeps the strided walk and adds loads that all lanes make from one
// place, one sector each, so that *sectors per request* looks good. The total
// does not fall.
__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++) {
        int i = thread * 16 + k;
        float noise = 0;
        for (int j = 0; j < 12; j++) noise += ((volatile const float *)x)[0];
        if (i < n) y[i] = a * x[i] + (noise == 12345.678f ? 1.0f : 0.0f);
    }
}
void scale(const float *x, float *y, float a, int n) {
    int threads = (n + 15) / 16;
    scale_kernel<<<(threads + 255) / 256, 256>>>(x, y, a, n);
}
