// image-gray: a picture of width x height pixels, row by row, three bytes
// (red, green, blue) each;
// gray gets one byte per pixel: (77 * red + 150 * green + 29 * blue) / 256.
// This works for pictures of one block only: 16 x 16 pixels.
// zh: 一幅 width x height 像素的图像，逐行存放，每个像素三个字节
// zh: （红、绿、蓝）；gray 中每个像素一个字节：
// zh: (77 * 红 + 150 * 绿 + 29 * 蓝) / 256。目前只能处理一个块大小的图像：
// zh: 16 x 16 像素。

__global__ void to_gray(const unsigned char *rgb, unsigned char *gray,
                        int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        const unsigned char *p = &rgb[3 * i];
        gray[i] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) / 256);
    }
}

void image_gray(const unsigned char *rgb, unsigned char *gray, int width,
                int height) {
    dim3 block(16, 16);
    // TODO: the launch needs a two-dimensional grid that covers the picture,
    // whatever its size.
    // zh: TODO：启动时需要一个能覆盖整幅图像的二维网格，图像大小任意。
    to_gray<<<1, block>>>(rgb, gray, width, height);
}
