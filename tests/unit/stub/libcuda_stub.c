/* A libcuda.so.1 for tests of machines without a GPU: device memory is host memory at the addresses
 * asked for, kernels are a few C functions by name, times are what STUB_US says. Every call is
 * written to the file STUB_LOG. tests/unit/test_gpu.c says what it expects of all this. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int lost; /* a sticky error: every later call answers it */
static double clock_us, pending_us;
static uint64_t next_handle = 1;

static void say(const char *name) {
    const char *path = getenv("STUB_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s\n", name);
    fclose(f);
}
static double variable(const char *name, double otherwise) {
    const char *v = getenv(name);
    return v ? atof(v) : otherwise;
}
#define ENTER()                                                                                    \
    do {                                                                                           \
        say(__func__);                                                                             \
        if (lost) return lost;                                                                     \
    } while (0)

int cuInit(unsigned flags) {
    (void)flags;
    say(__func__);
    return getenv("STUB_NO_DEVICE") ? 100 : 0;
}
int cuDriverGetVersion(int *v) {
    *v = 13000;
    return 0;
}
int cuGetErrorName(int e, const char **name) {
    (void)e;
    *name = "CUDA_ERROR_OF_THE_STUB";
    return 0;
}
int cuGetErrorString(int e, const char **text) {
    *text = e == 700 ? "an illegal memory access was encountered" : "stub";
    return 0;
}
int cuDeviceGetCount(int *n) {
    *n = 1;
    return 0;
}
int cuDeviceGet(int *d, int i) {
    *d = i;
    return 0;
}
int cuDeviceGetName(char *name, int n, int d) {
    (void)d;
    snprintf(name, (size_t)n, "Stub T4");
    return 0;
}
int cuDeviceGetUuid_v2(unsigned char *id, int d) {
    (void)d;
    for (int i = 0; i < 16; i++) id[i] = (unsigned char)i;
    return 0;
}
int cuDeviceGetAttribute(int *v, int a, int d) {
    (void)d;
    switch (a) {
    case 16: *v = 40; return 0;
    case 38: *v = 1 << 20; return 0; /* a small L2, so that flushing costs the test nothing */
    case 75: *v = 7; return 0;
    case 76: *v = 5; return 0;
    case 8: *v = 49152; return 0;
    case 97: *v = 65536; return 0;
    case 1: *v = 512; return 0; /* no T4 has these: they can only be what the driver says */
    case 82: *v = 32768; return 0;
    case 13: *v = 1500000; return 0;
    case 36: *v = 4000000; return 0;
    case 37: *v = 128; return 0;
    case 39: *v = 768; return 0;
    case 81: *v = 60000; return 0;
    case 106: *v = 12; return 0;
    case 111: *v = 1024; return 0;
    default: return 1;
    }
}
int cuDeviceTotalMem_v2(size_t *n, int d) {
    (void)d;
    *n = 1u << 30;
    return 0;
}
int cuCtxCreate_v2(void **c, unsigned flags, int d) {
    (void)flags, (void)d;
    say(__func__);
    *c = &lost;
    return 0;
}
int cuCtxSetLimit(int limit, size_t value) {
    char text[64];
    ENTER();
    snprintf(text, sizeof text, "limit %d: %zu", limit, value);
    say(text);
    return 0;
}
int cuCtxResetPersistingL2Cache(void) {
    ENTER();
    return 0;
}
int cuMemGetInfo_v2(size_t *f, size_t *t) {
    *f = 1u << 29, *t = 1u << 30;
    return 0;
}
int cuMemGetAllocationGranularity(size_t *n, const void *p, int o) {
    (void)p, (void)o;
    *n = 2u << 20;
    return 0;
}
int cuMemAddressReserve(uint64_t *a, size_t n, size_t align, uint64_t hint,
                        unsigned long long flags) {
    (void)align, (void)flags;
    void *p = mmap((void *)(uintptr_t)hint, n, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED) return 2;
    *a = (uint64_t)(uintptr_t)p;
    return 0;
}
int cuMemCreate(unsigned long long *h, size_t n, const void *p, unsigned long long f) {
    (void)p, (void)f;
    ENTER();
    if (n > (size_t)variable("STUB_MEMORY", 1e12)) return 2;
    *h = next_handle++;
    return 0;
}
int cuMemMap(uint64_t a, size_t n, size_t o, unsigned long long h, unsigned long long f) {
    (void)o, (void)h, (void)f;
    return mprotect((void *)(uintptr_t)a, n, PROT_READ | PROT_WRITE) ? 1 : 0;
}
int cuMemSetAccess(uint64_t a, size_t n, const void *d, size_t c) {
    (void)a, (void)n, (void)d, (void)c;
    return 0;
}
int cuMemUnmap(uint64_t a, size_t n) {
    say(__func__);
    return mprotect((void *)(uintptr_t)a, n, PROT_NONE) ? 1 : 0;
}
int cuMemRelease(unsigned long long h) {
    (void)h;
    return 0;
}
int cuMemHostAlloc(void **p, size_t n, unsigned f) {
    (void)f;
    *p = calloc(1, n);
    return *p ? 0 : 2;
}
int cuMemHostRegister_v2(void *p, size_t n, unsigned f) {
    (void)p, (void)n, (void)f;
    ENTER();
    return 0;
}
int cuMemHostUnregister(void *p) {
    (void)p;
    ENTER();
    return 0;
}
int cuMemHostGetDevicePointer_v2(uint64_t *a, void *p, unsigned f) {
    (void)f;
    *a = (uint64_t)(uintptr_t)p;
    return 0;
}
int cuMemcpyAsync(uint64_t to, uint64_t from, size_t n, void *s) {
    (void)s;
    ENTER();
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
    pending_us += (double)n / 1e5; /* 100 GB/s */
    return 0;
}
int cuMemcpy3DAsync_v2(const void *c, void *s) {
    (void)c, (void)s;
    ENTER();
    return 0;
}
int cuMemsetD8Async(uint64_t a, unsigned char v, size_t n, void *s) {
    (void)s;
    ENTER();
    memset((void *)(uintptr_t)a, v, n);
    return 0;
}
int cuMemsetD16Async(uint64_t a, unsigned short v, size_t n, void *s) {
    (void)s;
    ENTER();
    for (size_t i = 0; i < n; i++) ((unsigned short *)(uintptr_t)a)[i] = v;
    return 0;
}
int cuMemsetD32Async(uint64_t a, unsigned v, size_t n, void *s) {
    (void)s;
    ENTER();
    for (size_t i = 0; i < n; i++) ((unsigned *)(uintptr_t)a)[i] = v;
    return 0;
}
int cuStreamCreate(void **s, unsigned f) {
    (void)f;
    *s = &clock_us;
    return 0;
}
int cuStreamSynchronize(void *s) {
    (void)s;
    return lost;
}
int cuStreamWaitEvent(void *s, void *e, unsigned f) {
    (void)s, (void)e, (void)f;
    return 0;
}
int cuStreamWaitValue32_v2(void *s, uint64_t a, uint32_t v, unsigned f) {
    (void)s, (void)a, (void)v, (void)f;
    ENTER();
    return 0;
}
int cuEventCreate(void **e, unsigned f) {
    (void)f;
    *e = calloc(1, sizeof(double));
    return 0;
}
int cuEventRecord(void *e, void *s) {
    (void)s;
    clock_us += pending_us + 1; /* an event costs one */
    pending_us = 0;
    *(double *)e = clock_us;
    return lost;
}
int cuEventElapsedTime(float *ms, void *a, void *b) {
    *ms = (float)((*(double *)b - *(double *)a) / 1e3);
    return 0;
}
int cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *o, void **v) {
    ENTER();
    if (!strncmp(image, "broken", 6)) {
        for (unsigned i = 0; i < n; i++)
            if (o[i] == 5) snprintf(v[i], 64, "ptxas fatal: stub");
        return 218;
    }
    if (!strncmp(image, "other", 5)) return 209;
    *m = strdup("module");
    return 0;
}
int cuModuleUnload(void *m) {
    ENTER();
    free(m);
    return 0;
}
int cuModuleGetFunction(void **f, void *m, const char *name) {
    (void)m;
    if (!strcmp(name, "missing")) return 500;
    *f = strdup(name);
    return 0;
}
static int variable_of_module = 42;
int cuModuleGetGlobal_v2(uint64_t *a, size_t *n, void *m, const char *name) {
    (void)m;
    if (strcmp(name, "answer")) return 500;
    *a = (uint64_t)(uintptr_t)&variable_of_module, *n = sizeof variable_of_module;
    return 0;
}
int cuFuncGetAttribute(int *v, int a, void *f) {
    (void)f;
    static const int values[] = {[0] = 1024, [1] = 128, [4] = 17, [8] = 49152 - 128};
    *v = a < 9 ? values[a] : 0;
    return 0;
}
int cuFuncSetAttribute(void *f, int a, int v) {
    char what[80];
    ENTER();
    snprintf(what, sizeof what, "attribute %d of %s: %d", a, (const char *)f, v);
    say(what);
    return 0;
}
/* fill(unsigned *to, unsigned value) */
int cuFuncGetParamInfo(void *f, size_t i, size_t *offset, size_t *n) {
    if (strcmp(f, "fill") || i > 1) return 1;
    *offset = 8 * i, *n = i ? 4 : 8;
    return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *s, void **params, void **extra) {
    (void)gy, (void)gz, (void)by, (void)bz, (void)s, (void)extra;
    ENTER();
    if (!strcmp(f, "fill"))
        for (unsigned i = 0; i < gx * bx; i++)
            (*(unsigned **)params[0])[i] = *(unsigned *)params[1] + shared;
    if (!strcmp(f, "talk")) printf("device says %u\n", gx);
    if (!strcmp(f, "fault")) lost = 700;
    if (!strcmp(f, "refused")) return 701;
    if (!strcmp(f, "endless")) pause();
    if (!strcmp(f, "dies")) _exit(3);
    pending_us += variable("STUB_US", 10);
    return 0;
}
int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, void *s, void **params) {
    say(__func__);
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params, NULL);
}
int cuArray3DCreate_v2(void **a, const void *d) {
    (void)d;
    ENTER();
    *a = malloc(1);
    return 0;
}
int cuArrayDestroy(void *a) {
    ENTER();
    free(a);
    return 0;
}
int cuTexObjectCreate(unsigned long long *o, const void *r, const void *x, const void *v) {
    (void)r, (void)x, (void)v;
    ENTER();
    *o = 0x7e0 + next_handle++;
    return 0;
}
int cuTexObjectDestroy(unsigned long long o) {
    (void)o;
    ENTER();
    return 0;
}
int cuSurfObjectCreate(unsigned long long *o, const void *r) {
    (void)r;
    ENTER();
    *o = 0x5f0 + next_handle++;
    return 0;
}
int cuSurfObjectDestroy(unsigned long long o) {
    (void)o;
    ENTER();
    return 0;
}
