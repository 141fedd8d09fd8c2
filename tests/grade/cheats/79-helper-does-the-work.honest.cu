// lab: texture
// expect: pass
// A helper brings the picture to where the texture takes it from.
__global__ void turn(cudaTextureObject_t picture, float *out, float c, float s, int width,
                     int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = c * x - s * y, v = s * x + c * y;
    out[y * width + x] = tex2D<float>(picture, u + 0.5f, v + 0.5f);
}

__global__ void bring(const unsigned char *in, unsigned char *to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (16 * i + 16 <= n) ((uint4 *)to)[i] = ((const uint4 *)in)[i];
    else
        for (int k = 16 * i; k < n; k++) to[k] = in[k];
}

void rotate(const unsigned char *in, float *out, float c, float s, int width, int height) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&array, &format, width, height);
    unsigned char *there;
    int n = width * height;
    cudaMalloc(&there, n);
    bring<<<(n + 4095) / 4096, 256>>>(in, there, n);
    cudaMemcpy2DToArray(array, 0, 0, there, width, width, height, cudaMemcpyDeviceToDevice);
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
    cudaFree(there);
}
