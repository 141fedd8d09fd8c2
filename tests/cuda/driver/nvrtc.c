/* A kernel that is compiled while the program runs, by NVRTC, and loaded through the driver API. */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>

static const char source[] =
    "extern \"C\" __global__ void axpy(float a, const float *x, float *y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + y[i];\n}\n"
    "template <class T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }\n";
#define CU(call)                                                                                   \
    if ((call) != CUDA_SUCCESS) return printf("%s fails\n", #call), 1
#define RTC(call)                                                                                  \
    if ((call) != NVRTC_SUCCESS) return printf("%s fails\n", #call), 1

int main(void) {
    nvrtcProgram p;
    const char *options[] = {"--gpu-architecture=compute_75"}, *lowered;
    size_t n;
    RTC(nvrtcCreateProgram(&p, source, "axpy.cu", 0, NULL, NULL));
    RTC(nvrtcAddNameExpression(p, "fill<int>"));
    RTC(nvrtcCompileProgram(p, 1, options));
    RTC(nvrtcGetPTXSize(p, &n));
    static char ptx[1 << 16];
    if (n > sizeof ptx) return printf("%zu bytes of PTX, at most %zu expected\n", n, sizeof ptx), 1;
    RTC(nvrtcGetPTX(p, ptx));
    RTC(nvrtcGetLoweredName(p, "fill<int>", &lowered));
    CUdevice d;
    CUcontext c;
    CUmodule m;
    CUfunction axpy, fill;
    CUdeviceptr x, y;
    CU(cuInit(0));
    CU(cuDeviceGet(&d, 0));
    CU(cuCtxCreate(&c, NULL, 0, d));
    CU(cuModuleLoadDataEx(&m, ptx, 0, NULL, NULL));
    CU(cuModuleGetFunction(&axpy, m, "axpy"));
    CU(cuModuleGetFunction(&fill, m, lowered));
    enum { N = 777 };
    float hx[N], hy[N], a = 2.5f;
    int size = N, v = 41, seven[32];
    for (int i = 0; i < N; i++) hx[i] = (float)i, hy[i] = 1;
    CU(cuMemAlloc(&x, sizeof hx));
    CU(cuMemAlloc(&y, sizeof hy));
    CU(cuMemcpyHtoD(x, hx, sizeof hx));
    CU(cuMemcpyHtoD(y, hy, sizeof hy));
    void *args[] = {&a, &x, &y, &size}, *more[] = {&x, &v};
    CU(cuLaunchKernel(axpy, 7, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    CU(cuMemcpyDtoH(hy, y, sizeof hy));
    CU(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, more, NULL));
    CU(cuMemcpyDtoH(seven, x, sizeof seven));
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += hy[i] != 2.5f * (float)i + 1;
    for (int i = 0; i < 32; i++) wrong += seven[i] != 41;
    CU(cuMemFree(x));
    CU(cuMemFree(y));
    CU(cuModuleUnload(m));
    CU(cuCtxDestroy(c));
    printf("compiled while it runs: %d wrong\n", wrong);
    return wrong != 0;
}
