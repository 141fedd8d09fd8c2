// image-gray, solved: in both directions, the grid has enough 16 x 16 blocks to cover the picture.
// zh: image-gray 的参考答案：网格在两个方向上都有足够多的 16 x 16 块，能覆盖整幅图像。
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        const unsigned char *p = &rgb[3 * i];
        gray[i] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) / 256);
    }
}

void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    dim3 block(16, 16);
    to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);
}
