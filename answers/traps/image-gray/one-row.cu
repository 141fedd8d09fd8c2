// kind: slow
// expect: fail counter threads_per_block
// expect: met correct
// A block per pixel. It fits every size, and wastes 31 of 32 lanes.
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        const unsigned char *p = &rgb[3 * i];
        gray[i] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) / 256);
    }
}

void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    dim3 block(1, 1);
    to_gray<<<dim3(width, height), block>>>(rgb, gray, width, height);
}
