// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// expect: met counter copied_bytes
// No copy any more, but each load of a warp still picks four bytes out of every sixteen.
const int RUN = 4;

__global__ void means(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < RUN; k++) s += in[(size_t)RUN * i + k];
    out[i] = s / RUN;
}

void zero_copy(const float *in, float *out, int n) {
    means<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaDeviceSynchronize();
}
