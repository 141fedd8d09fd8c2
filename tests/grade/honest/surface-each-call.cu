// errors: the output goes through a surface of an array that the call makes and frees
__global__ void square(const float *in, cudaSurfaceObject_t out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) surf2Dwrite(in[i] * in[i], out, i % 1024 * 4, i / 1024);
}

void errors(const float *in, float *out, int n) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    int width = 1024, rows = (n + width - 1) / width;
    cudaMallocArray(&array, &format, width, rows, cudaArraySurfaceLoadStore);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &what);
    square<<<(n + 255) / 256, 256>>>(in, s, n);
    int whole = n / width, left = n % width;
    if (whole)
        cudaMemcpy2DFromArray(out, width * 4, array, 0, 0, width * 4, whole, cudaMemcpyDeviceToDevice);
    if (left)
        cudaMemcpy2DFromArray(out + whole * width, left * 4, array, 0, whole, left * 4, 1,
                              cudaMemcpyDeviceToDevice);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(array);
}
