// Surfaces of arrays that were not made for them: an H200 with CUDA 13.0 takes every array, whatever its flags. Other kinds of resources it refuses.
// expect: plain cudaSuccess 9 10
// expect: layered cudaSuccess gather cudaSuccess level cudaSuccess
// expect: mipmap cudaErrorInvalidValue linear cudaErrorInvalidValue null cudaErrorInvalidResourceHandle
// expect: destroyed cudaSuccess cudaSuccess cudaSuccess
#include <cstdio>
#define NAME(call) cudaGetErrorName(call)
__global__ void next(cudaSurfaceObject_t s, float *to) {
    surf2Dread(to, s, 4, 1);
    surf2Dwrite(*to + 1, s, 4, 1);
}
static cudaSurfaceObject_t made;
static const char *make(cudaArray_t a) {
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = a;
    return NAME(cudaCreateSurfaceObject(&made, &of));
}
int main() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    float host[64], *to;
    for (int i = 0; i < 64; i++) host[i] = (float)i;
    cudaMallocManaged(&to, 4);
    cudaArray_t plain, layered, gather, level;
    cudaMallocArray(&plain, &f, 8, 8);
    cudaMemcpy2DToArray(plain, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice);
    printf("plain %s", make(plain));
    cudaSurfaceObject_t first = made;
    next<<<1, 1>>>(first, to);
    cudaDeviceSynchronize();
    cudaMemcpy2DFromArray(host, 32, plain, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
    printf(" %g %g\n", *to, host[9]);
    cudaMalloc3DArray(&layered, &f, make_cudaExtent(8, 8, 3), cudaArrayLayered);
    cudaMalloc3DArray(&gather, &f, make_cudaExtent(8, 8, 0), cudaArrayTextureGather);
    cudaMipmappedArray_t mipmap;
    cudaMallocMipmappedArray(&mipmap, &f, make_cudaExtent(8, 8, 0), 3, 0);
    cudaGetMipmappedArrayLevel(&level, mipmap, 1);
    printf("layered %s", make(layered));
    printf(" gather %s", make(gather));
    printf(" level %s\n", make(level));
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeMipmappedArray;
    of.res.mipmap.mipmap = mipmap;
    printf("mipmap %s", NAME(cudaCreateSurfaceObject(&made, &of)));
    of = {};
    of.resType = cudaResourceTypeLinear;
    of.res.linear.devPtr = to, of.res.linear.desc = f, of.res.linear.sizeInBytes = 4;
    printf(" linear %s", NAME(cudaCreateSurfaceObject(&made, &of)));
    printf(" null %s\n", make(nullptr));
    printf("destroyed %s", NAME(cudaDestroySurfaceObject(first)));
    printf(" %s %s\n", NAME(cudaDestroySurfaceObject(0)), NAME(cudaDestroySurfaceObject(12345)));
}
