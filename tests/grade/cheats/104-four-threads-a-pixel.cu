// lab: image-gray
// expect: fail counter
// expect: says global_store_bytes is
// Blocks of 4 x 4 pixels, filled up with threads that compute the same pixels again.
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, i = y * width + x;
    if (x < width && y < height) gray[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) / 256;
}
void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    to_gray<<<dim3((width + 3) / 4, (height + 3) / 4), dim3(4, 4, 4)>>>(rgb, gray, width, height);
}
