// A kernel reads by a texture what the same launch has written: a barrier does not order that, because no store reaches the cache of textures.
// sim only
// finding: race
// stderr: a texture may only read what the kernel does not write
// expect: other words 0
// expect: read, then written 0
// expect: floats 0
// expect: bytes 0
#include "common.h"
__global__ void turns(cudaTextureObject_t t, float *x, float *out, int to) { // writes x[i + to], reads x[i]
    int i = threadIdx.x;
    x[i + to] = i;
    __syncthreads();
    out[i] = tex1Dfetch<float>(t, 255 - i);
}
__global__ void after(cudaTextureObject_t t, float *x, float *out) {
    int i = threadIdx.x;
    out[i] = tex1Dfetch<float>(t, 255 - i);
    __syncthreads();
    x[i] = -1;
}
__global__ void bytes(cudaTextureObject_t t, unsigned *x, float *out) {
    int i = threadIdx.x;
    x[i] = i;
    __syncthreads();
    out[i] = tex1Dfetch<unsigned char>(t, 4 * (255 - i));
}
static cudaTextureObject_t texture(void *x, int n, cudaChannelFormatDesc d) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = x, r.res.linear.sizeInBytes = n, r.res.linear.desc = d;
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &how, NULL));
    return t;
}
int main() {
    float *x, *out;
    CK(cudaMalloc(&x, 4096)), CK(cudaMalloc(&out, 1024)), CK(cudaMemset(x, 0, 4096));
    cudaTextureObject_t t = texture(x, 2048, cudaCreateChannelDesc<float>()), b = texture(x, 2048, cudaCreateChannelDesc<unsigned char>());
    turns<<<1, 256>>>(t, x, out, 512);
    printf("other words %d\n", cudaDeviceSynchronize());
    after<<<1, 256>>>(t, x, out);
    printf("read, then written %d\n", cudaDeviceSynchronize());
    turns<<<1, 256>>>(t, x, out, 0);
    printf("floats %d\n", cudaDeviceSynchronize());
    bytes<<<1, 256>>>(b, (unsigned *)x, out);
    printf("bytes %d\n", cudaDeviceSynchronize());
    CK(cudaDestroyTextureObject(t)), CK(cudaDestroyTextureObject(b));
    cudaFree(x), cudaFree(out);
}
