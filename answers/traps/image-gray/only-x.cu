// kind: unsafe
// expect: fail
// expect: finding oob
// Checks one direction only.
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < height) {
        int i = y * width + x;
        const unsigned char *p = &rgb[3 * i];
        gray[i] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) / 256);
    }
}

void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    dim3 block(16, 16);
    to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);
}
