/* dlopen: only this file knows where the driver is. */
#include "runner/device/gpu/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool driver_symbol(void *library, const char *symbol, void *to) {
    void *f = dlsym(library, symbol);
    /* ISO C does not allow a cast from a data pointer to a function pointer */
    memcpy(to, &f, sizeof f);
    return f != NULL;
}

static void *driver_library(const char *variable, const char *otherwise) {
    const char *given = getenv(variable);
    return dlopen(given && *given ? given : otherwise, RTLD_NOW | RTLD_LOCAL);
}

bool gpu_driver_open(gpu_driver *d, char *text, size_t n) {
    void *library = driver_library("WARPLAB_LIBCUDA", "libcuda.so.1");
    if (!library) {
        snprintf(text, n, "no NVIDIA driver: %s", dlerror());
        return false;
    }
#define DRIVER(name, symbol, params)                                                               \
    if (!driver_symbol(library, symbol, &d->name)) {                                               \
        snprintf(                                                                                  \
            text, n,                                                                               \
            "the NVIDIA driver is too old: it has no %s; a driver for CUDA 12.4 or later has",     \
            symbol);                                                                               \
        return false;                                                                              \
    }
#include "runner/device/gpu/driver.def"
#undef DRIVER
    return true;
}

bool gpu_nvml_open(gpu_nvml *m) {
    memset(m, 0, sizeof *m);
    void *library = driver_library("WARPLAB_LIBNVML", "libnvidia-ml.so.1");
    bool all = library != NULL;
#define NVML(name, symbol, params) all = all && driver_symbol(library, symbol, &m->name);
#include "runner/device/gpu/nvml.def"
#undef NVML
    if (!all || m->Init()) memset(m, 0, sizeof *m);
    return m->Init != NULL;
}
