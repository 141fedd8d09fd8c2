// lab: image-gray
// expect: pass
// The threads of a block put their pixels into shared memory, and a quarter of them writes four at once.
__global__ void to_gray(const unsigned char *rgb, unsigned char *gray, int n) {
    __shared__ unsigned char tile[256];
    int first = blockIdx.x * 256, i = first + threadIdx.x;
    if (i < n) tile[threadIdx.x] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) / 256);
    __syncthreads();
    for (int k = 4 * threadIdx.x; k < 4 * threadIdx.x + 4 && threadIdx.x < 64; k++)
        if (first + k < n) gray[first + k] = tile[k];
}
void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) { to_gray<<<(width * height + 255) / 256, 256>>>(rgb, gray, width * height); }
