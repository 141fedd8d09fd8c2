// texture: the picture is turned. out[y][x] is the picture at (c * x - s * y,
// s * x + c * y).
// zh: 旋转图像。out[y][x] 取图像在 (c * x - s * y, s * x + c * y) 处的值。
// Between pixels it is mixed from the four around; outside, the nearest pixel
// at the edge counts.
// zh: 落在像素之间时，由周围四个像素混合而成；落在图像以外时，
// zh: 取最近的边缘像素。
// Pixels are bytes, 0 to 255, and count as 0 to 1.
// zh: 像素是 0 到 255 的字节，当作 0 到 1 使用。

// TODO: read the picture through a texture object; it clamps, converts and
// mixes by itself.
// zh: TODO：改为通过纹理对象读取图像；夹边、换算和混合它都自己会做。
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
    // An array is memory laid out for textures; it has to be filled by a copy.
    // zh: 数组（array）是为纹理安排的内存，要用拷贝来填充。
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&array, &format, width, height);
    cudaMemcpy2DToArray(array, 0, 0, in, width, width, height,
                        cudaMemcpyDeviceToDevice);
    // TODO: what is read (a cudaResourceDesc), how (a cudaTextureDesc), and
    // the object of both.
    // zh: TODO：读什么（cudaResourceDesc）、怎样读（cudaTextureDesc），
    // zh: 再由两者创建对象。

    // TODO: lanes of a warp should lie close together in both directions:
    // 16 x 16 threads.
    // zh: TODO：一个 warp 的各 lane 在两个方向上都要靠得近：用 16 x 16 个
    // zh: 线程的块。
    dim3 block(256, 1),
        grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    turn<<<grid, block>>>(in, out, c, s, width, height);
    cudaFreeArray(array);
}
