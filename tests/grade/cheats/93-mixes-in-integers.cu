// lab: texture
// expect: fail counter
// expect: says arithmetic is
// The texture gives four pixels, and integers mix them.
__global__ void turn(cudaTextureObject_t p, float *out, float c, float s, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int ci = (int)(c * 1048576.0f), si = (int)(s * 1048576.0f);
    long long u = (long long)ci * x - (long long)si * y, v = (long long)si * x + (long long)ci * y;
    int i = (int)(u >> 20), j = (int)(v >> 20), f = (int)(u >> 12 & 255), g = (int)(v >> 12 & 255);
    int a = tex2D<unsigned char>(p, i, j), b = tex2D<unsigned char>(p, i + 1, j), d = tex2D<unsigned char>(p, i, j + 1), e = tex2D<unsigned char>(p, i + 1, j + 1);
    int m = ((a * (256 - f) + b * f) * (256 - g) + (d * (256 - f) + e * f) * g);
    out[y * width + x] = m * (1.0f / (255.0f * 65536.0f));
}
void rotate(const unsigned char *in, float *out, float c, float s, int width, int height) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&array, &format, width, height);
    cudaMemcpy2DToArray(array, 0, 0, in, width, width, height, cudaMemcpyDeviceToDevice);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t picture;
    cudaCreateTextureObject(&picture, &what, &how, nullptr);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    turn<<<grid, block>>>(picture, out, c, s, width, height);
    cudaDestroyTextureObject(picture);
    cudaFreeArray(array);
}
