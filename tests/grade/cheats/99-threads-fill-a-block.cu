// lab: image-gray
// expect: fail counter
// expect: says threads_per_block is
// Blocks of 64 threads, of which 8 do all the work.
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int n) {
    if (threadIdx.x >= 8) return;
    for (int i = blockIdx.x * 8 + threadIdx.x; i < n; i += gridDim.x * 8)
        gray[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) / 256);
}
void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) { to_gray<<<(width * height + 7) / 8, 64>>>(rgb, gray, width * height); }
