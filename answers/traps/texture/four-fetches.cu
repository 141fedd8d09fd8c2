// kind: slow
// expect: fail counter arithmetic
// expect: met correct
// expect: met counter gld_requests
// Half the technique: the texture clamps and converts, but the kernel fetches four texels and mixes them by itself.
__global__ void turn(cudaTextureObject_t picture, float *out, float c, float s, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = c * x - s * y, v = s * x + c * y;
    float i = floorf(u), j = floorf(v), f = u - i, g = v - j;
    float above = tex2D<float>(picture, i + 0.5f, j + 0.5f), below = tex2D<float>(picture, i + 0.5f, j + 1.5f);
    above += f * (tex2D<float>(picture, i + 1.5f, j + 0.5f) - above);
    below += f * (tex2D<float>(picture, i + 1.5f, j + 1.5f) - below);
    out[y * width + x] = above + g * (below - above);
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
    how.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t picture;
    cudaCreateTextureObject(&picture, &what, &how, nullptr);

    dim3 block(16, 16), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    turn<<<grid, block>>>(picture, out, c, s, width, height);
    cudaDestroyTextureObject(picture);
    cudaFreeArray(array);
}
