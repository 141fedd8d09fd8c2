/* A program on the driver API alone: what its documentation says of each call. It checks itself,
 * here and natively. */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

static int checks, bad;
static void is(int line, const char *what, long long got, long long want) {
    checks++;
    if (got == want) return;
    bad++;
    printf("line %d: %s is %lld, want %lld\n", line, what, got, want);
}
#define IS(got, want) is(__LINE__, #got, (long long)(got), (long long)(want))
#define OK(call)      IS(call, CUDA_SUCCESS)

static const char ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n.visible .const .align 4 .u32 factor;\n"
    ".visible .entry scale(.param .u64 data, .param .u32 n, .param .u32 by)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<10>;\n.reg .b64 %d<5>;\n"
    "ld.param.u64 %d1, [data];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [by];\n"
    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\nmad.lo.u32 %r6, %r3, "
    "%r4, %r5;\n"
    "setp.ge.u32 %p1, %r6, %r1;\n@%p1 bra done;\n"
    "mul.wide.u32 %d2, %r6, 4;\nadd.u64 %d3, %d1, %d2;\nld.global.u32 %r7, [%d3];\n"
    "mul.lo.u32 %r7, %r7, %r2;\nld.const.u32 %r8, [factor];\nadd.u32 %r7, %r7, %r8;\n"
    "st.global.u32 [%d3], %r7;\natom.global.add.u32 %r9, [counter], 1;\ndone: ret;\n}\n"
    ".visible .entry shared_sum(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<3>;\n"
    ".shared .align 4 .b8 room[4096];\nmov.u32 %r1, room;\nst.shared.u32 [%r1], 7;\nld.shared.u32 "
    "%r2, [%r1];\n"
    "ld.param.u64 %d1, [out];\nst.global.u32 [%d1], %r2;\nret;\n}\n";

static CUdevice dev;
static CUmodule module;
static CUfunction scale, shared_sum;

static void start(void) {
    int n = 0, v = 0, major, minor;
    CUcontext c = (CUcontext)1;
    IS(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuCtxGetCurrent(&c), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuDriverGetVersion(&v));
    IS(v >= 13000, 1);
    OK(cuDeviceGetCount(&n));
    IS(n >= 1, 1);
    IS(cuDeviceGet(&dev, n), CUDA_ERROR_INVALID_DEVICE);
    IS(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGet(&dev, 0));
    char name[128] = "", few[4];
    OK(cuDeviceGetName(name, sizeof name, dev));
    IS(strlen(name) > 0, 1);
    OK(cuDeviceGetName(few, sizeof few, dev));
    IS(strncmp(few, name, 3), 0);
    size_t bytes = 0;
    OK(cuDeviceTotalMem(&bytes, dev));
    IS(bytes > 1u << 20, 1);
    OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev));
    IS(v, 32);
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev));
    IS(major * 10 + minor >= 75, 1);
    CUuuid id;
    OK(cuDeviceGetUuid(&id, dev));
    char bus[32];
    CUdevice same = -1;
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, dev));
    OK(cuDeviceGetByPCIBusId(&same, bus));
    IS(same, dev);
}

static void contexts(void) {
    CUdeviceptr p;
    CUcontext primary, a, b, c;
    unsigned flags;
    int active = -1;
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxGetCurrent(&c));
    IS(c == NULL, 1);
    OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
    IS(active, 0);
    OK(cuDevicePrimaryCtxRetain(&primary, dev));
    OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
    IS(active, 1);
    OK(cuCtxSetCurrent(primary));
    OK(cuCtxGetCurrent(&c));
    IS(c == primary, 1);
    OK(cuMemAlloc(&p, 4));
    OK(cuMemFree(p));
    OK(cuCtxCreate(&a, NULL, 0, dev));
    OK(cuCtxGetCurrent(&c));
    IS(c == a, 1);
    OK(cuCtxCreate(&b, NULL, CU_CTX_SCHED_BLOCKING_SYNC, dev));
    OK(cuCtxPopCurrent(&c));
    IS(c == b, 1);
    OK(cuCtxGetCurrent(&c));
    IS(c == a, 1);
    OK(cuCtxPushCurrent(b));
    OK(cuCtxDestroy(b));
    OK(cuCtxGetCurrent(&c));
    IS(c == a, 1);
    CUdevice d = -1;
    OK(cuCtxGetDevice(&d));
    IS(d, dev);
    OK(cuCtxDestroy(a));
    OK(cuCtxGetCurrent(&c));
    IS(c == primary, 1);
    OK(cuCtxSynchronize());
    size_t v;
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE));
    IS(v, 4096);
}

static void modules(void) {
    CUmodule broken;
    CUfunction f;
    CUdeviceptr p;
    size_t n;
    char log[200] = "x";
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *value[] = {log, (void *)sizeof log};
    IS(cuModuleLoadData(&broken, "no PTX at all"), CUDA_ERROR_INVALID_IMAGE);
    IS(cuModuleLoadDataEx(
           &broken, ".version 7.0\n.target sm_52\n.address_size 64\n.entry k() { frobnicate; }\n",
           2, option, value),
       CUDA_ERROR_INVALID_PTX);
    IS(strlen(log) > 1, 1);
    IS(cuModuleLoad(&broken, "/nonexistent/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuModuleLoadData(&module, ptx));
    IS(cuModuleGetFunction(&f, module, "absent"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuModuleGetFunction(&shared_sum, module, "shared_sum"));
    IS(cuModuleGetGlobal(&p, &n, module, "absent"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetGlobal(&p, &n, module, "factor"));
    IS(n, 4);
    int v = 0;
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shared_sum));
    IS(v, 4096);
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, scale));
    IS(v, 52);
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    IS(v, 1024);
    OK(cuFuncSetAttribute(shared_sum, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000));
    int grid = 0, block = 0, fit = 0;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, NULL, 0, 0));
    IS(block % 32 == 0 && block >= 128, 1);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, scale, block, 0));
    IS(fit >= 1, 1);
}

static void launches(void) {
    enum { N = 1000 };
    unsigned h[N], n = N, by = 3, factor = 11, counter = 0;
    CUdeviceptr d, var;
    size_t bytes;
    for (unsigned i = 0; i < N; i++) h[i] = i;
    OK(cuMemAlloc(&d, sizeof h));
    OK(cuMemcpyHtoD(d, h, sizeof h));
    OK(cuModuleGetGlobal(&var, NULL, module, "factor"));
    OK(cuMemcpyHtoD(var, &factor, 4));
    void *args[] = {&d, &n, &by};
    OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    struct {
        CUdeviceptr data;
        unsigned n, by;
    } packed = {d, N / 2, 2};
    bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(h, d, sizeof h));
    int wrong = 0;
    for (unsigned i = 0; i < N; i++)
        wrong += h[i] != (i < N / 2 ? (3 * i + 11) * 2 + 11 : 3 * i + 11);
    IS(wrong, 0);
    OK(cuModuleGetGlobal(&var, &bytes, module, "counter"));
    OK(cuMemcpyDtoH(&counter, var, 4));
    IS(counter, 5 + N + N / 2);
    IS(cuLaunchKernel(scale, 0, 1, 1, 128, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(d));
}

static int called;
static void CUDA_CB callback(CUstream s, CUresult e, void *data) {
    (void)s;
    called += e == CUDA_SUCCESS ? *(int *)data : 100;
}

static void memory(void) {
    CUdeviceptr d, e;
    unsigned w[64];
    unsigned short s[64];
    unsigned char m[16 * 8], *pinned;
    size_t pitch, left, all;
    OK(cuMemGetInfo(&left, &all));
    IS(left <= all && left > 0, 1);
    IS(cuMemAlloc(&d, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAlloc(&d, sizeof w));
    OK(cuMemsetD32(d, 0x01020304, 64));
    OK(cuMemcpyDtoH(w, d, sizeof w));
    IS(w[0] == 0x01020304 && w[63] == 0x01020304, 1);
    OK(cuMemsetD16(d, 0x55aa, 128));
    OK(cuMemcpyDtoH(s, d, sizeof s));
    IS(s[0] == 0x55aa && s[63] == 0x55aa, 1);
    OK(cuMemsetD8(d, 9, 4));
    OK(cuMemcpyDtoH(w, d, 8));
    IS(w[0] == 0x09090909 && w[1] == 0x55aa55aa, 1);
    OK(cuMemAllocPitch(&e, &pitch, 16, 8, 4));
    IS(pitch >= 16, 1);
    OK(cuMemsetD2D8(e, pitch, 1, 16, 8));
    OK(cuMemsetD2D8(e + 2 * pitch, pitch, 7, 4, 3));
    CUDA_MEMCPY2D c = {0};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = e, c.srcPitch = pitch, c.srcY = 1;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = m, c.dstPitch = 16, c.dstXInBytes = 0;
    c.WidthInBytes = 16, c.Height = 7;
    memset(m, 0, sizeof m);
    OK(cuMemcpy2D(&c));
    IS(m[0] == 1 && m[16] == 7 && m[19] == 7 && m[20] == 1 && m[16 * 4] == 1 && m[16 * 7] == 0, 1);
    OK(cuMemAllocHost((void **)&pinned, 100));
    CUmemorytype type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    IS(type, CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned));
    IS(type, CU_MEMORYTYPE_HOST);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)m),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeHost(pinned));
    CUdeviceptr managed;
    OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemsetD32(managed, 77, 16));
    OK(cuCtxSynchronize());
    IS(((unsigned *)managed)[15], 77);
    OK(cuMemFree(managed)), OK(cuMemFree(d)), OK(cuMemFree(e));
    IS(cuMemFree(d), CUDA_ERROR_INVALID_VALUE);
}

static void streams(void) {
    enum { N = 256 };
    CUstream a, b;
    CUevent begin, end;
    CUdeviceptr d;
    unsigned *h, n = N, by = 5, one = 1;
    float ms = -1;
    OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING)),
        OK(cuStreamCreateWithPriority(&b, CU_STREAM_NON_BLOCKING, -1));
    OK(cuEventCreate(&begin, 0)), OK(cuEventCreate(&end, 0));
    OK(cuMemAlloc(&d, 4 * N)), OK(cuMemAllocHost((void **)&h, 4 * N));
    for (unsigned i = 0; i < N; i++) h[i] = i;
    void *args[] = {&d, &n, &by};
    OK(cuEventRecord(begin, a));
    OK(cuMemcpyHtoDAsync(d, h, 4 * N, a));
    OK(cuLaunchKernel(scale, 2, 1, 1, 128, 1, 1, 0, a, args, NULL));
    OK(cuEventRecord(end, a));
    OK(cuStreamWaitEvent(b, end, 0));
    OK(cuMemcpyDtoHAsync(h, d, 4 * N, b));
    OK(cuStreamAddCallback(b, callback, &one, 0));
    OK(cuStreamSynchronize(b));
    IS(called, 1);
    IS(h[10], 10 * 5 + 11);
    OK(cuEventSynchronize(end));
    OK(cuEventQuery(end));
    OK(cuEventElapsedTime(&ms, begin, end));
    IS(ms > 0, 1);
    OK(cuStreamQuery(a));
    OK(cuEventDestroy(begin)), OK(cuEventDestroy(end)), OK(cuStreamDestroy(a)),
        OK(cuStreamDestroy(b));
    OK(cuMemFree(d)), OK(cuMemFreeHost(h));
}

/* Two units that need each other, linked while the program runs. */
static void linking(void) {
    static const char
        one[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                ".extern .func (.param .b32 r) other(.param .b32 a);\n"
                ".func (.param .b32 r) own(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, "
                "[a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }\n"
                ".visible .entry both(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d<2>; mov.u32 "
                "%r1, 20;\n"
                "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), own, (x); "
                "ld.param.b32 %r1, [y]; }\n"
                "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), other, (x); "
                "ld.param.b32 %r1, [y]; }\n"
                "ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r1; ret; }\n",
        two[] = ".version 7.0\n.target sm_60\n.address_size 64\n"
                ".func (.param .b32 r) own(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, "
                "[a]; mul.lo.u32 %r1, %r1, 2; st.param.b32 [r], %r1; ret; }\n"
                ".visible .func (.param .b32 r) other(.param .b32 a) { .reg .b32 %r<3>; "
                "ld.param.b32 %r1, [a];\n"
                "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), own, (x); "
                "ld.param.b32 %r1, [y]; }\n"
                "st.param.b32 [r], %r1; ret; }\n";
    CUlinkState l;
    CUmodule m;
    CUfunction f;
    CUdeviceptr d;
    void *image, *args[] = {&d};
    size_t n;
    int v = 0;
    OK(cuLinkCreate(0, NULL, NULL, &l));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)one, sizeof one, "one", 0, NULL, NULL));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)two, sizeof two, "two", 0, NULL, NULL));
    OK(cuLinkComplete(l, &image, &n));
    OK(cuModuleLoadData(&m, image));
    OK(cuLinkDestroy(l));
    OK(cuModuleGetFunction(&f, m, "both"));
    OK(cuMemAlloc(&d, 4));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(&v, d, 4));
    IS(v, 42);
    OK(cuMemFree(d));
    OK(cuModuleUnload(m));
}

static void names(void) {
    const char *text = NULL;
    OK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    IS(text && !strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"), 1);
    OK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    IS(text && !strcmp(text, "invalid argument"), 1);
    IS(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    void *f = NULL;
    CUdriverProcAddressQueryResult how;
    OK(cuGetProcAddress("cuMemAlloc", &f, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &how));
    IS(how, CU_GET_PROC_ADDRESS_SUCCESS);
    CUdeviceptr p;
    OK(((CUresult(*)(CUdeviceptr *, size_t))f)(&p, 16));
    OK(cuMemFree(p));
    /* one name, three functions: by the version that is asked for */
    CUcontext c = NULL;
    OK(cuGetProcAddress("cuCtxCreate", &f, 11020, CU_GET_PROC_ADDRESS_DEFAULT, &how));
    OK(((CUresult(*)(CUcontext *, unsigned, CUdevice))f)(&c, CU_CTX_SCHED_SPIN, dev));
    unsigned flags = 0;
    OK(cuCtxGetFlags(&flags));
    IS(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_SPIN);
    OK(cuCtxDestroy(c));
    OK(cuGetProcAddress("cuCtxCreate", &f, 11080, CU_GET_PROC_ADDRESS_DEFAULT, &how));
    OK(((CUresult(*)(CUcontext *, void *, int, unsigned, CUdevice))f)(&c, NULL, 0, 0, dev));
    OK(cuCtxDestroy(c));
    cuGetProcAddress("cuCtxCreate", &f, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &how);
    OK(((CUresult(*)(CUcontext *, void *, unsigned, CUdevice))f)(&c, NULL, 0, dev));
    OK(cuCtxDestroy(c));
    OK(cuGetProcAddress("cuGetProcAddress", &f, 11060, CU_GET_PROC_ADDRESS_DEFAULT, &how));
    void *g = NULL;
    OK(((CUresult(*)(const char *, void **, int, cuuint64_t))f)("cuMemAlloc", &g, 11060, 0));
    OK(((CUresult(*)(CUdeviceptr *, size_t))g)(&p, 16));
    OK(cuMemFree(p));
    cuGetProcAddress("cuGetProcAddress", &f, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &how);
    IS(how, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    cuGetProcAddress("cuNoSuchCall", &f, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &how);
    IS(f == NULL && how == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1);
}

/* Clusters, where the device has them: each block tells its rank to the next one. */
static void clusters(void) {
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry ring(.param .u64 p) {\n"
        " .reg .b32 %r<9>; .reg .b64 %d<4>; .shared .b32 got;\n"
        " ld.param.u64 %d1, [p]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;\n"
        " add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2; mov.u32 %r4, got;\n"
        " mapa.shared::cluster.u32 %r5, %r4, %r3; barrier.cluster.arrive; barrier.cluster.wait;\n"
        " st.shared::cluster.u32 [%r5], %r1; barrier.cluster.arrive; barrier.cluster.wait;\n"
        " ld.shared.u32 %r6, [got]; mov.u32 %r7, %ctaid.x; mul.wide.u32 %d2, %r7, 4;\n"
        " add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r6; ret;\n}\n";
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    int has, n, got[16], wrong = 0;
    OK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, dev));
    if (!has) return;
    OK(cuModuleLoadData(&m, text));
    OK(cuModuleGetFunction(&f, m, "ring"));
    OK(cuMemAlloc(&p, sizeof got));
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                           .value.clusterDim = {4, 1, 1}};
    CUlaunchConfig c = {.gridDimX = 16,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 1,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .attrs = &a,
                        .numAttrs = 1};
    void *args[] = {&p};
    OK(cuLaunchKernelEx(&c, f, args, NULL));
    OK(cuMemcpyDtoH(got, p, sizeof got));
    for (int i = 0; i < 16; i++) wrong += got[i] != (i % 4 + 3) % 4;
    IS(wrong, 0);
    OK(cuOccupancyMaxPotentialClusterSize(&n, f, &c));
    IS(n, 8);
    OK(cuOccupancyMaxActiveClusters(&n, f, &c));
    IS(n > 0, 1);
    a.value.clusterDim.x = 16;
    IS(cuLaunchKernelEx(&c, f, args, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, f));
    IS(n, 1);
    OK(cuLaunchKernelEx(&c, f, args, NULL));
    OK(cuMemcpyDtoH(got, p, sizeof got));
    IS(got[0], 15);
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
}

int main(void) {
    start();
    contexts();
    modules();
    launches();
    memory();
    streams();
    linking();
    clusters();
    names();
    OK(cuModuleUnload(module));
    OK(cuDevicePrimaryCtxRelease(dev));
    printf("%d checks, %d wrong\n", checks, bad);
    return bad != 0;
}
