// kind: wrong
// expect: fail
// Takes x for the row and y for the column where it reads: a square picture comes out transposed, any other one scrambled.
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = x * height + y;
        const unsigned char *p = &rgb[3 * i];
        gray[y * width + x] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) / 256);
    }
}

void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    dim3 block(16, 16);
    to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);
}
