// lab: texture
// expect: fail correct
// The sine of the angle is computed from its cosine: no argument says that it may be negative.
__global__ void turn(cudaTextureObject_t picture, float *out, float c, float s, int width,
                     int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    s = sqrtf(1 - c * c);
    float u = c * x - s * y, v = s * x + c * y;
    out[y * width + x] = tex2D<float>(picture, u + 0.5f, v + 0.5f);
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
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t picture;
    cudaCreateTextureObject(&picture, &what, &how, nullptr);

    dim3 block(16, 16), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    turn<<<grid, block>>>(picture, out, c, s, width, height);
    cudaDestroyTextureObject(picture);
    cudaFreeArray(array);
}
