// Calls and launches that fail, and a program that looks at none of them: each is told with its name, its error and the limit that it broke.
// sim only
// fast
// stderr: finding: call: the launch of one (cudaLaunchKernel) failed with cudaErrorInvalidValue: 1,280 threads a block; sim:h200 holds 1,024
// stderr: finding: call: the launch of one (cudaLaunchKernel) failed with cudaErrorInvalidValue: grid.y is 65,536; sim:h200 holds 65,535
// stderr: finding: call: the launch of one (cudaLaunchKernel) failed with cudaErrorInvalidValue: grid.x is 0; a grid has at least one block (sim:h200)
// stderr: finding: call: the launch of one (cudaLaunchKernel) failed with cudaErrorInvalidValue: 65,536 bytes of dynamic shared memory; by default sim:h200 gives this kernel 49,152: call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) before the launch
// stderr: finding: call: the launch of one (cudaLaunchKernel) failed with cudaErrorInvalidValue: 300,000 bytes of dynamic and 0 of static shared memory; a block of sim:h200 holds 232,448
// stderr: finding: call: the launch of bound (cudaLaunchKernel) failed with cudaErrorInvalidValue: 256 threads a block; __launch_bounds__ of the kernel says 128 at most
// stderr: finding: call: cudaMalloc failed with cudaErrorMemoryAllocation: 1,125,899,906,842,624 bytes were asked for, more than sim:h200 has left
// stderr: finding: call: cudaCreateTextureObject failed with cudaErrorInvalidFilterSetting: cudaFilterModeLinear on 8-bit integers read as they are; filter with cudaReadModeNormalizedFloat (8 or 16 bits) or with floats
// expect: 0
// expect: told by the library: 1
#include <cstdio>

__global__ void one(int *p) {
    p[0] = 1;
}

__global__ void __launch_bounds__(128) bound(int *p) {
    p[0] = 1;
}

int main() {
    int *d, h = 9;
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, 256);
    one<<<1, 1280>>>(d);
    one<<<dim3(1, 65536), 32>>>(d);
    one<<<0, 32>>>(d);
    one<<<1, 32, 65536>>>(d);
    one<<<1, 32, 300000>>>(d);
    bound<<<1, 256>>>(d);
    void *much;
    cudaMalloc(&much, size_t(1) << 50);
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&a, &f, 16, 16);
    cudaResourceDesc r = {};
    // An answer, not a failure: no finding.
    cudaStreamQuery(0);
    cudaGetLastError();
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc t = {};
    t.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t x;
    cudaCreateTextureObject(&x, &r, &t, nullptr);
    int count = 0;
    cudaGetDeviceCount(&count);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    printf("told by the library: %d\n", cudaGetLastError() == cudaErrorInvalidFilterSetting);
    cudaFree(d);
    cudaFreeArray(a);
}
