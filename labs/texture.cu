// texture: turns a picture. out[y][x] is the value of the picture at the place
// (c * x - s * y, s * x + c * y).
// zh: 旋转图像。out[y][x] 取图像在 (c * x - s * y, s * x + c * y) 处的值。
// Between pixels, the value is a mix of the four pixels around the place.
// Outside the picture, it is the nearest pixel at the edge.
// zh: 位置在像素之间时，由周围四个像素混合而成；位置在图像之外时，
// zh: 取最近的边缘像素。
// Pixels are bytes. The values 0 to 255 stand for 0 to 1.
// zh: 像素是字节，0 到 255 代表 0 到 1。

// TODO: read the picture through a texture object. The texture clamps,
// converts and mixes by itself.
// zh: TODO：改为通过纹理对象读取图像，由纹理处理边缘、换算和混合。
__device__ float pixel(const unsigned char *in, int x, int y, int width,
                       int height) {
    x = min(max(x, 0), width - 1);
    y = min(max(y, 0), height - 1);
    return in[y * width + x] / 255.0f;
}

__global__ void turn(const unsigned char *in, float *out, float c, float s,
                     int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = c * x - s * y, v = s * x + c * y;
    int i = (int)floorf(u), j = (int)floorf(v);
    float f = u - i, g = v - j;
    float above = pixel(in, i, j, width, height),
          below = pixel(in, i, j + 1, width, height);
    above += f * (pixel(in, i + 1, j, width, height) - above);
    below += f * (pixel(in, i + 1, j + 1, width, height) - below);
    out[y * width + x] = above + g * (below - above);
}

void rotate(const unsigned char *in, float *out, float c, float s, int width,
            int height) {
    // The layout of an array suits textures. This copy fills the array.
    // zh: 数组（array）的存储方式适合纹理，这里用拷贝来填充。
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&array, &format, width, height);
    cudaMemcpy2DToArray(array, 0, 0, in, width, width, height,
                        cudaMemcpyDeviceToDevice);
    // TODO: describe what to read (cudaResourceDesc) and how to read it
    // (cudaTextureDesc), and create a texture object from the two.
    // zh: TODO：描述读什么（cudaResourceDesc）和怎样读（cudaTextureDesc），
    // zh: 再由这两份描述创建纹理对象。

    // TODO: use blocks of 16 x 16 threads, so that the lanes of a warp read
    // close together in both directions.
    // zh: TODO：用 16 x 16 个线程的块，使一个 warp 的各个 lane 读的位置
    // zh: 在两个方向上都靠近。
    dim3 block(256, 1),
        grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    turn<<<grid, block>>>(in, out, c, s, width, height);
    cudaFreeArray(array);
}
