// What limits and texture settings a driver takes (H100, CUDA 13.0): limits are rounded up, a stack to 16 bytes, the buffer of printf() to 256 and at least 512 KiB, the heap to
// 64 KiB and at least 4 MiB; floats and integers of 32 bits are not read as fractions; %h makes an argument of printf() 16 bits long.
// fast
// expect: 1: 16 524288 4194304
// expect: 1023: 1024 1023232 10289152
// expect: 1040: 1040 1040128 10420224
// expect: 4097: 4112 4097024 41025536
// expect: float cudaSuccess cudaErrorInvalidNormSetting cudaSuccess cudaErrorInvalidNormSetting
// expect: half cudaSuccess cudaErrorInvalidNormSetting cudaSuccess cudaErrorInvalidNormSetting
// expect: int cudaSuccess cudaErrorInvalidNormSetting cudaErrorInvalidFilterSetting cudaErrorInvalidFilterSetting
// expect: 2345 65535 4464 -1
#include "common.h"
__global__ void shorts() { printf("%hx %hu %hi %hd\n", 0x12345, -1, 70000, 0xffff); }
static void textures(const char *name, cudaChannelFormatDesc c) {
    cudaArray_t a;
    CK(cudaMallocArray(&a, &c, 8, 8));
    printf("%s", name);
    for (int k = 0; k < 4; k++) {
        cudaResourceDesc r = {};
        cudaTextureDesc t = {};
        cudaTextureObject_t x;
        r.resType = cudaResourceTypeArray, r.res.array.array = a;
        t.filterMode = (cudaTextureFilterMode)(k >> 1), t.readMode = (cudaTextureReadMode)(k & 1);
        cudaError_t e = cudaCreateTextureObject(&x, &r, &t, NULL);
        printf(" %s", cudaGetErrorName(e));
        if (!e) CK(cudaDestroyTextureObject(x));
    }
    puts("");
    CK(cudaFreeArray(a));
}
int main() {
    for (size_t v : {1, 1023, 1040, 4097}) {
        size_t stack, fifo, heap;
        CK(cudaDeviceSetLimit(cudaLimitStackSize, v)), CK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, v * 1000)), CK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, v * 10001));
        CK(cudaDeviceGetLimit(&stack, cudaLimitStackSize)), CK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize)), CK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
        printf("%zu: %zu %zu %zu\n", v, stack, fifo, heap);
    }
    textures("float", cudaCreateChannelDesc<float>());
    textures("half", cudaCreateChannelDescHalf());
    textures("int", cudaCreateChannelDesc<int>());
    fflush(stdout);
    shorts<<<1, 1>>>();
    CK(cudaDeviceSynchronize());
}
