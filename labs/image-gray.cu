// image-gray: rgb is a picture of width x height pixels, row by row, with three
// bytes (red, green, blue) for each pixel. gray gets one byte for each pixel:
// (77 * red + 150 * green + 29 * blue) / 256.
// This program works only for pictures that fit into one block: 16 x 16 pixels.
// zh: rgb 是一幅 width x height 像素的图像，逐行存放，每个像素三个字节
// zh: （红、绿、蓝）。gray 中每个像素一个字节：
// zh: (77 * 红 + 150 * 绿 + 29 * 蓝) / 256。
// zh: 现在的程序只能处理一个块放得下的图像：16 x 16 像素。

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
    // TODO: launch a grid with two directions that covers a picture of any
    // size.
    // zh: TODO：启动一个两个方向的网格，要能覆盖任意大小的图像。
    to_gray<<<1, block>>>(rgb, gray, width, height);
}
