// The baseline of texture: the picture is turned by plain loads. Each output pixel reads the four pixels around its source, which the code clamps to the
// picture, converts from 0..255 to 0..1 and mixes.
__device__ float pixel(const unsigned char *in, int x, int y, int width, int height) {
    x = min(max(x, 0), width - 1);
    y = min(max(y, 0), height - 1);
    return in[y * width + x] / 255.0f;
}

__global__ void turn(const unsigned char *in, float *out, float c, float s, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = c * x - s * y, v = s * x + c * y; // where the pixel comes from
    int i = (int)floorf(u), j = (int)floorf(v);
    float f = u - i, g = v - j;
    float above = pixel(in, i, j, width, height), below = pixel(in, i, j + 1, width, height);
    above += f * (pixel(in, i + 1, j, width, height) - above);
    below += f * (pixel(in, i + 1, j + 1, width, height) - below);
    out[y * width + x] = above + g * (below - above);
}

void rotate(const unsigned char *in, float *out, float c, float s, int width, int height) {
    dim3 block(256, 1), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    turn<<<grid, block>>>(in, out, c, s, width, height);
}
